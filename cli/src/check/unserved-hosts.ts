import { compileHosts } from '@guard/config/matching/host';
import type { Organisation, Settings } from '@guard/config/settings/schema';
import type { Remark } from './remark.ts';

/**
 * Rules that can never match, because no site of their organisation has a host that they ask for. Only what is
 * certain is told: names without wildcards, and organisations whose requests all come through the gateway, for
 * a backend that calls POST /validate may have any host.
 */
export function unservedHosts(
  { id, rules, secret_keys: keys }: Organisation,
  index: number,
  sites: Settings['sites'],
): Remark[] {
  if (keys.length > 0) return [];
  const siteOf = compileHosts(sites.map((site) => ({ hosts: site.hosts, value: site })));
  const isUnserved = (host: string) => !host.includes('*') && siteOf(host)?.organisation !== id;
  return rules.flatMap(({ name, match: { host: hosts } }, place): Remark[] => {
    if (!hosts?.every(isUnserved)) return [];
    const message = `rule ${name} never matches: no site of organisation ${id} has the host ${hosts.join(' or ')}`;
    return [{ level: 'warning', path: ['organisations', index, 'rules', place], message }];
  });
}
