import { parseIp } from '@guard/config/net/cidr';
import { networkOf } from '@guard/config/net/network-of';

/**
 * The network to remember a session under. A change of network between challenge and answer is no
 * failure: phones move, and a site and its collector may be reached over IPv4 and IPv6 at once.
 *
 * In the same family the visitor has moved, and the next request comes from where the upload came
 * from. In the other family the next request comes over the family of the challenged one again. An
 * address that cannot be read leaves the challenged network standing.
 */
export function sessionNetwork(challenged: string, uploaderIp: string): string {
  const ip = parseIp(uploaderIp);
  if (ip === undefined) return challenged;
  const uploaded = networkOf(ip);
  return challenged.includes(':') === uploaded.includes(':') ? uploaded : challenged;
}
