/**
 * Values of the `_guard` cookie, which is readable by design (contract 2.8). There are several when another site under
 * the same domain set one too.
 */
export function sessionCookies(): string[] {
  try {
    const found = document.cookie.matchAll(/(?:^|;\s*)_guard=([^;]{0,128})/g);
    return Array.from(found, ([, value = '']) => value);
  } catch {
    // A sandboxed frame may not read cookies. The attempt throws an error.
    return [];
  }
}
