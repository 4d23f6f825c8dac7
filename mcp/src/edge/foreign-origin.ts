import { isLoopbackHost } from '@guard/config/net/special-address';

/**
 * True when an Origin header names a web page that is neither on this machine nor on `ownHost`.
 * Streamable HTTP (revision 2025-06-18, transports, "Security Warning") asks servers to refuse those:
 * a page whose name was rebound to this address must not talk to it from a visitor's browser. Clients that are no
 * web page send no Origin, or one of a scheme of their own, which no name can be rebound to.
 */
export function isForeignOrigin(origin: string, ownHost: string | undefined): boolean {
  // A sandboxed frame hides whose page it is.
  if (origin === 'null' || !URL.canParse(origin)) return true;
  const { protocol, host, hostname } = new URL(origin);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return !isLoopbackHost(hostname) && host !== ownHost;
}
