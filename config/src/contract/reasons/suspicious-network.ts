import { inCategory, note, outcome, strong } from '../reason-entry.ts';

/** Where a request comes from, and how often (contract 2.2). */
export const suspiciousNetwork = inCategory('suspicious_network', {
  datacenter_ip: strong('network', 'The address belongs to a hosting provider.'),
  vpn_ip: strong('network', 'The address belongs to a commercial VPN.'),
  tor_ip: strong('network', 'The address is a Tor exit.'),
  crowdsec_listed: strong(
    'network',
    'CrowdSec has a decision on the address, or on its network, autonomous system or country.',
  ),
  proxy_headers: note('network', 'The request says that it came through a proxy.'),
  time_zone_elsewhere: note(
    'network',
    'The country of the address does not have the time zone of the browser.',
  ),
  session_moved: strong(
    'network',
    'The session passed its challenge in another network, and now comes from a network of machines.',
  ),
  free_pages_used: outcome(
    'The free pages of this address, network or kind of client are used up.',
  ),
  pressure_by_client: outcome('Clients of this kind ask for far more pages than usual.'),
  pressure_on_path: outcome('This part of the site is asked for far more often than usual.'),
  pressure_on_origin: outcome(
    'The site answers this part with errors, or far more slowly than usual.',
  ),
  session_limit_exceeded: outcome('The session asks for more than one passed challenge allows.'),
  rate_limit_exceeded: outcome('A rate limit rule was exceeded.'),
});
