import { type Answer, send } from './http.ts';

export const VISITOR = '198.51.100.7';

/** The question of each proxy about `POST https://shop.example/login?a=1`. */
export const original = {
  host: 'shop.example',
  'x-forwarded-for': VISITOR,
  'x-original-url': 'https://shop.example/login?a=1',
  'x-original-method': 'POST',
};
export const forwarded = {
  host: 'guard.internal',
  'x-forwarded-for': VISITOR,
  'x-forwarded-method': 'POST',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'shop.example',
  'x-forwarded-uri': '/login?a=1',
};
const inPlace = {
  host: 'shop.example',
  'x-forwarded-for': VISITOR,
  'x-forwarded-proto': 'https',
};

/** A request of a proxy. */
export interface Asking {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}
export const ASKING: readonly [string, Asking][] = [
  ['nginx', { path: '/check/nginx', method: 'GET', headers: original }],
  ['haproxy', { path: '/check/haproxy', method: 'GET', headers: original }],
  ['caddy', { path: '/check/caddy?a=1', method: 'GET', headers: forwarded }],
  ['traefik', { path: '/check/traefik', method: 'GET', headers: forwarded }],
  ['envoy', { path: '/check/envoy/login?a=1', method: 'POST', headers: inPlace }],
];

/** Asks as one of the proxies does. `headers` are further headers of the visitor. */
export function ask(url: string, { path, method, headers }: Asking, more = {}): Promise<Answer> {
  return send(url + path, { method, headers: { ...headers, 'user-agent': 'Browser/1', ...more } });
}
