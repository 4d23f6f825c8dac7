import type { Places } from './places.ts';

/** The settings of HAProxy with one thread. All visitors share its connections to the origin. */
export function haproxyConfig({ port, origin, tls }: Places): string {
  return `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend visitors
  bind 127.0.0.1:${port}${tls === undefined ? '' : ` ssl crt ${tls.pair} alpn h2,http/1.1`}
  default_backend site
backend site
  server origin ${origin}
`;
}
