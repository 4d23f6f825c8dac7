import { poll, send } from '../http.ts';
import { rowsOf } from './sql.ts';
import type { Product } from './start-product.ts';
import { curl, googlebot, GOOGLEBOT_IP, HOME_IP } from '../visitors/visitors.ts';

/** Rules that lead to an event of each kind that the example queries find. */
export const ASKED_ABOUT = [
  { name: 'on trial', match: { path: '/trial/**' }, verdict: 'block', monitor: true },
  {
    name: 'login budget',
    match: { path: '/login' },
    rate_limit: { requests: 1, per: '1h', by: 'ip' },
  },
  { name: 'everybody', match: {}, detect: true, challenge: 'always' },
];

interface AskedAbout {
  readonly path: string;
  readonly reference: string;
  readonly session: string;
}

/**
 * Makes a request of each kind that the example queries find. Waits until all events are in the table, and returns
 * them.
 */
export async function visitAskedAbout(product: Product): Promise<AskedAbout[]> {
  const visitFrom = (path: string, ip: string, headers: Readonly<Record<string, string>> = curl) =>
    send(`${product.addresses.gateway}${path}`, { headers: { ...headers, 'x-forwarded-for': ip } });
  await visitFrom('/trial/new', HOME_IP);
  await visitFrom('/login', HOME_IP);
  await visitFrom('/login', HOME_IP);
  await visitFrom('/article', HOME_IP);
  await visitFrom('/', GOOGLEBOT_IP, googlebot);
  await visitFrom('/', HOME_IP, googlebot);
  const recent =
    'SELECT path, reference, session FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR';
  return poll(
    () => rowsOf<AskedAbout>(product, recent),
    (rows) => rows.length === 6,
  );
}
