/** Value of the `_guard` cookie, which is readable by design (spec 2.8); empty when there is none. */
export function sessionCookie(): string {
  try {
    return /(?:^|;\s*)_guard=([^;]{0,128})/.exec(document.cookie)?.[1] ?? '';
  } catch {
    // A sandboxed frame throws instead of answering.
    return '';
  }
}
