import { canonicalHost, compileHosts } from '@guard/config/matching/host';
import { parseIp } from '@guard/config/net/cidr';
import type { ListenAddress } from '@guard/config/settings/values/values';

/**
 * Returns a check for the Host header. Listeners for the operator use it. A page of an attacker can point its own name
 * at this machine (DNS rebinding) and then read the answers. So the check accepts only hosts that such a page cannot
 * use: addresses, names without a dot, the host of the listener, and the hosts in `extraHosts`. It accepts a request
 * without a Host header, because browsers always send this header.
 */
export function compileOwnHosts(
  listen: ListenAddress | undefined,
  extraHosts: readonly string[],
): (host: string | undefined) => boolean {
  if (listen?.kind === 'unix') return () => true;
  const listenHost = listen === undefined ? [] : [listen.host];
  const isKnownHost = compileHosts([{ hosts: [...listenHost, ...extraHosts], value: true }]);
  return (host = '') => cannotBeRebound(host) || isKnownHost(host) === true;
}

/** True for an address, and for a name that public name servers cannot resolve. */
function cannotBeRebound(host: string): boolean {
  const name = canonicalHost(host);
  return name !== undefined && (!name.includes('.') || parseIp(name) !== undefined);
}
