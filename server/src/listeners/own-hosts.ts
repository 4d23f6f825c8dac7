import { canonicalHost, compileHosts } from '@guard/config/matching/host';
import { parseIp } from '@guard/config/net/cidr';
import type { ListenAddress } from '@guard/config/settings/values/values';

/**
 * Returns a function that says whether a listener for the operator answers a request with this Host header. An
 * attacker's page can point its own name at the address of this machine (DNS rebinding), and then reads
 * what answers to that name. So only hosts are answered that such a page cannot have: addresses, names
 * without a dot, the host of the listener, and `named`, those of the settings. A request without Host is
 * answered: no browser sends one.
 */
export function compileOwnHosts(
  listen: ListenAddress | undefined,
  named: readonly string[],
): (host: string | undefined) => boolean {
  if (listen?.kind === 'unix') return () => true;
  const own = listen === undefined ? [] : [listen.host];
  const isNamed = compileHosts([{ hosts: [...own, ...named], value: true }]);
  return (host = '') => cannotBeRebound(host) || isNamed(host) === true;
}

/** An address, or a name for which no name server of the internet has an answer. */
function cannotBeRebound(host: string): boolean {
  const name = canonicalHost(host);
  return name !== undefined && (!name.includes('.') || parseIp(name) !== undefined);
}
