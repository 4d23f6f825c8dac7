import { canonicalHost, compileHosts } from '@guard/config/matching/host';
import { parseIp } from '@guard/config/net/cidr';
import type { ListenAddress } from '@guard/config/settings/values';

/**
 * Whether the admin listener answers a request with this Host header. A web page can give a name of its
 * own the address of this machine (DNS rebinding), and then reads whatever answers to that name. So those
 * hosts are answered that no stranger's page can have: addresses, names without a dot, the one of
 * `listen.admin`, and `named`, those of the settings. Without a Host no browser asks.
 */
export function compileAdminHosts(
  listen: ListenAddress | undefined,
  named: readonly string[],
): (host: string | undefined) => boolean {
  if (listen?.kind === 'unix') return () => true;
  const own = listen === undefined ? [] : [listen.host];
  const isNamed = compileHosts([{ hosts: [...own, ...named], value: true }]);
  return (host = '') => isUnreachable(host) || isNamed(host) === true;
}

/** What no name server of the internet has an answer for. */
function isUnreachable(host: string): boolean {
  const name = canonicalHost(host);
  return name !== undefined && (!name.includes('.') || parseIp(name) !== undefined);
}
