import { type Answer, send } from '../http.ts';

export const VISITOR = '198.51.100.7';

/** The header fields with which the proxies ask about `POST https://shop.example/login?a=1`. */
export const originalUrlHeaders = {
  host: 'shop.example',
  'x-forwarded-for': VISITOR,
  'x-original-url': 'https://shop.example/login?a=1',
  'x-original-method': 'POST',
};
export const forwardedHeaders = {
  host: 'guard.internal',
  'x-forwarded-for': VISITOR,
  'x-forwarded-method': 'POST',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'shop.example',
  'x-forwarded-uri': '/login?a=1',
};
const ownPathHeaders = {
  host: 'shop.example',
  'x-forwarded-for': VISITOR,
  'x-forwarded-proto': 'https',
};

/** The request by which a proxy asks. */
export interface ProxyRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}
export const PROXY_REQUESTS: readonly [string, ProxyRequest][] = [
  ['nginx', { path: '/check/nginx', method: 'GET', headers: originalUrlHeaders }],
  ['haproxy', { path: '/check/haproxy', method: 'GET', headers: originalUrlHeaders }],
  ['caddy', { path: '/check/caddy?a=1', method: 'GET', headers: forwardedHeaders }],
  ['traefik', { path: '/check/traefik', method: 'GET', headers: forwardedHeaders }],
  ['envoy', { path: '/check/envoy/login?a=1', method: 'POST', headers: ownPathHeaders }],
];

/** Sends a question as one of the proxies does. `moreHeaders` has further header fields of the visitor. */
export function ask(
  url: string,
  { path, method, headers }: ProxyRequest,
  moreHeaders = {},
): Promise<Answer> {
  return send(url + path, {
    method,
    headers: { ...headers, 'user-agent': 'Browser/1', ...moreHeaders },
  });
}
