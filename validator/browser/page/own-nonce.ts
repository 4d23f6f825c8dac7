/** The nonce of this page's own script. Empty when there is none. Scripts of extensions have no nonce. */
export function ownNonce(): string {
  return Array.from(document.scripts, ({ nonce }) => nonce).find(Boolean) ?? '';
}
