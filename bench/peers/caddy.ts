import type { Places } from './places.ts';

/**
 * The settings of Caddy with its `forward_auth`. Go uses as many threads as there are cores. In this bench it has one
 * core.
 */
export function caddyfile({ port, origin, decisionServer = '' }: Places): string {
  return `{
	admin off
	auto_https off
}
http://:${port} {
	forward_auth ${decisionServer} {
		uri /check
		trusted_proxies 127.0.0.1/32
		copy_headers X-Guard-Decision
	}
	reverse_proxy ${origin} {
		trusted_proxies 127.0.0.1/32
	}
}
`;
}
