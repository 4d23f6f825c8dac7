import { parseIp } from '@guard/config/net/cidr';
import { networkOf } from '@guard/config/net/network-of';

/**
 * Returns the network to store with a session. A change of network between challenge and answer is no failure: phones
 * move, and a site and its collector may be reached over both IPv4 and IPv6.
 *
 * Within one address family the visitor has moved, so the next request will come from the network of the upload. When
 * the families differ, the next request will use the family of the challenged request again. With an unreadable
 * address, the challenged network is kept.
 */
export function sessionNetwork(challengedNetwork: string, uploaderIp: string): string {
  const ip = parseIp(uploaderIp);
  if (ip === undefined) return challengedNetwork;
  const uploadNetwork = networkOf(ip);
  return challengedNetwork.includes(':') === uploadNetwork.includes(':')
    ? uploadNetwork
    : challengedNetwork;
}
