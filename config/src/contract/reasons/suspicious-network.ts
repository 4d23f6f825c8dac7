/** Where a request comes from, and how often (contract 2.2). */
export const suspiciousNetwork = {
  datacenter_ip: {
    category: 'suspicious_network',
    strength: 'strong',
    group: 'network',
    meaning: 'The address belongs to a hosting provider.',
  },
  vpn_ip: {
    category: 'suspicious_network',
    strength: 'strong',
    group: 'network',
    meaning: 'The address belongs to a commercial VPN.',
  },
  tor_ip: {
    category: 'suspicious_network',
    strength: 'strong',
    group: 'network',
    meaning: 'The address is a Tor exit.',
  },
  crowdsec_listed: {
    category: 'suspicious_network',
    strength: 'strong',
    group: 'network',
    meaning:
      'CrowdSec has a decision on the address, or on its network, autonomous system or country.',
  },
  proxy_headers: {
    category: 'suspicious_network',
    strength: 'note',
    group: 'network',
    meaning: 'The request says that it came through a proxy.',
  },
  time_zone_elsewhere: {
    category: 'suspicious_network',
    strength: 'note',
    group: 'network',
    meaning: 'The time zone of the browser is none of the country of its address.',
  },
  session_moved: {
    category: 'suspicious_network',
    strength: 'strong',
    group: 'network',
    meaning:
      'The session passed its challenge elsewhere, and now comes from a network of machines.',
  },
  free_pages_used: {
    category: 'suspicious_network',
    meaning: 'The free pages of this address, network or kind of client are used up.',
  },
  pressure_by_client: {
    category: 'suspicious_network',
    meaning: 'Clients of this kind ask for far more pages than usual.',
  },
  pressure_on_path: {
    category: 'suspicious_network',
    meaning: 'This part of the site is asked for far more often than usual.',
  },
  pressure_on_origin: {
    category: 'suspicious_network',
    meaning: 'The site answers this part with errors, or far more slowly than usual.',
  },
  session_limit_exceeded: {
    category: 'suspicious_network',
    meaning: 'The session asks for more than one passed challenge is good for.',
  },
  rate_limit_exceeded: {
    category: 'suspicious_network',
    meaning: 'A rate limit rule was exceeded.',
  },
} as const;
