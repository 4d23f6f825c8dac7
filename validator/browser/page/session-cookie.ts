/**
 * Values of the `_guard` cookie, which is readable by design (contract 2.8). There are several where a site
 * beside this one set one too.
 */
export function sessionCookies(): string[] {
  try {
    const found = document.cookie.matchAll(/(?:^|;\s*)_guard=([^;]{0,128})/g);
    return Array.from(found, ([, value = '']) => value);
  } catch {
    // A sandboxed frame throws an error instead.
    return [];
  }
}
