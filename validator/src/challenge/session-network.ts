import { parseIp } from '@guard/config/net/cidr';
import { networkOf } from '@guard/config/net/network-of';

/**
 * Returns the network to store with a session. A change of network between challenge and upload is no failure: phones
 * change networks, and a browser can reach the site over IPv4 and the collector over IPv6.
 *
 * When both addresses are IPv4 or both are IPv6, the visitor has changed networks, and the next request will come from
 * the network of the upload. When only one is IPv6, the next request will come from the challenged network again. When
 * the address is unreadable, the challenged network is kept.
 */
export function sessionNetwork(challengedNetwork: string, uploaderIp: string): string {
  const ip = parseIp(uploaderIp);
  if (ip === undefined) return challengedNetwork;
  const uploadNetwork = networkOf(ip);
  return challengedNetwork.includes(':') === uploadNetwork.includes(':')
    ? uploadNetwork
    : challengedNetwork;
}
