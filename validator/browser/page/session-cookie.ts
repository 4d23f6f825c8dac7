/**
 * Values of the `_guard` cookie, which scripts may read (contract 2.8). There are several values when another site
 * under the same domain also set this cookie.
 */
export function sessionCookies(): string[] {
  try {
    const cookies = document.cookie.matchAll(/(?:^|;\s*)_guard=([^;]{0,128})/g);
    return Array.from(cookies, ([, value = '']) => value);
  } catch {
    // A sandboxed frame is not allowed to read cookies. The attempt throws an error.
    return [];
  }
}
