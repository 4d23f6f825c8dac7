import { type Answer, send } from '../http.ts';
import type { Product } from './start-product.ts';
import { ANALYTICS_KEY } from './product-settings.ts';

/** Listeners for tests of the dashboard. */
export const DASHBOARD_LISTEN = {
  gateway: '127.0.0.1:0',
  api: '127.0.0.1:0',
  dashboard: '127.0.0.1:0',
};

/** Sends a request as the page of the dashboard does. */
export function askDashboard(
  product: Product,
  path: string,
  options: {
    readonly cookie?: string;
    readonly json?: unknown;
    readonly sql?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> {
  const { cookie = '', json, sql } = options;
  const type = json === undefined ? 'text/plain' : 'application/json';
  const body = json === undefined ? sql : JSON.stringify(json);
  return send(`${product.addresses.dashboard}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(cookie !== '' && { cookie }),
      ...(body !== undefined && { 'content-type': type }),
      ...options.headers,
    },
    ...(body !== undefined && { body }),
  });
}

/** Signs in with a key. Returns the cookie as a browser sends it. Throws when the key is refused. */
export async function signIn(product: Product, key = ANALYTICS_KEY): Promise<string> {
  const answer = await askDashboard(product, '/api/sign-in', { json: { key } });
  return cookieOf(answer);
}

/** The cookie that an answer sets, as a browser sends it. */
export function cookieOf({ status, headers }: Answer, index = 0): string {
  const cookieLine = headers['set-cookie']?.[index];
  if (cookieLine === undefined) throw new Error(`${status} without a cookie`);
  return cookieLine.split(';', 1)[0] ?? '';
}
