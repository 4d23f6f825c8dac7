import { canonicalHost, compileHosts } from '@guard/config/matching/host';
import { parseIp } from '@guard/config/net/cidr';
import type { ListenAddress } from '@guard/config/settings/values/values';

/**
 * Returns a function that checks the Host header of requests to a listener for the operator. An attacker's page can
 * point its own name at the address of this machine (DNS rebinding) and then read the answers for that name. So it
 * accepts only hosts that such a page cannot have: addresses, names without a dot, the host of the listener, and
 * `named` from the settings. A request without Host is accepted, because browsers always send one.
 */
export function compileOwnHosts(
  listen: ListenAddress | undefined,
  named: readonly string[],
): (host: string | undefined) => boolean {
  if (listen?.kind === 'unix') return () => true;
  const listenHost = listen === undefined ? [] : [listen.host];
  const isNamed = compileHosts([{ hosts: [...listenHost, ...named], value: true }]);
  return (host = '') => cannotBeRebound(host) || isNamed(host) === true;
}

/** An address, or a name that public name servers cannot resolve. */
function cannotBeRebound(host: string): boolean {
  const name = canonicalHost(host);
  return name !== undefined && (!name.includes('.') || parseIp(name) !== undefined);
}
