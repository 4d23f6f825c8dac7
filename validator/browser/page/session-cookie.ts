/**
 * Values of the `_guard` cookie, which scripts may read (contract 2.8). There are several when another site under the
 * same domain also set one.
 */
export function sessionCookies(): string[] {
  try {
    const cookies = document.cookie.matchAll(/(?:^|;\s*)_guard=([^;]{0,128})/g);
    return Array.from(cookies, ([, value = '']) => value);
  } catch {
    // A sandboxed frame may not read cookies. The attempt throws an error.
    return [];
  }
}
