import { poll } from '../test/kit/http.ts';
import { rowsOf } from '../test/kit/product/sql.ts';
import type { Product } from '../test/kit/product/start-product.ts';

/** The number of rows in the database, and the number of different requests in them. */
export interface Recorded {
  readonly rows: number;
  readonly requests: number;
}

const SQL = `SELECT count() AS rows, uniqExact(path) AS requests FROM events_distributed
  WHERE match(path, '^/(page|closed)/')`;
const PATIENCE_MS = 25_000;
const NOTHING: Recorded = { rows: 0, requests: 0 };

/** Counts the visitors' rows. Undefined while the database gives no answer. */
export async function countRecorded(product: Product): Promise<Recorded | undefined> {
  const rows = await rowsOf<Record<keyof Recorded, string>>(product, SQL).catch(() => []);
  const [row] = rows;
  return row && { rows: Number(row.rows), requests: Number(row.requests) };
}

/** Waits until a query finds a row of the visitors. Rejects after the time limit. */
export function untilRecorded(product: Product): Promise<Recorded> {
  const ask = async () => (await countRecorded(product)) ?? NOTHING;
  return poll(ask, ({ rows }) => rows > 0, PATIENCE_MS);
}

/** Waits until all requests of the visitors are recorded. After the time limit it returns the present counts. */
export async function countWhenAllAre(product: Product, requests: number): Promise<Recorded> {
  let last = NOTHING;
  const ask = async () => (last = (await countRecorded(product)) ?? last);
  await poll(ask, (recorded) => recorded.requests >= requests, PATIENCE_MS).catch(() => undefined);
  return last;
}
