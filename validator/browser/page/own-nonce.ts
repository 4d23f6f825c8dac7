/** The nonce of this page's own script; empty where there is none. Extensions add scripts too, and theirs have none. */
export function ownNonce(): string {
  return Array.from(document.scripts, ({ nonce }) => nonce).find(Boolean) ?? '';
}
