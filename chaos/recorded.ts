import { poll } from '../test/kit/http.ts';
import { rowsOf } from '../test/kit/sql.ts';
import type { Product } from '../test/kit/start-product.ts';

/** Rows of the database: how many, and of how many different requests. */
export interface Recorded {
  readonly rows: number;
  readonly requests: number;
}

const SQL = `SELECT count() AS rows, uniqExact(path) AS requests FROM events_distributed
  WHERE match(path, '^/(page|closed)/')`;
const PATIENCE_MS = 25_000;
const NOTHING: Recorded = { rows: 0, requests: 0 };

/** What the database holds of the visitors; undefined while it gives no answer. */
export async function countRecorded(product: Product): Promise<Recorded | undefined> {
  const rows = await rowsOf<Record<keyof Recorded, string>>(product, SQL).catch(() => []);
  const [row] = rows;
  return row && { rows: Number(row.rows), requests: Number(row.requests) };
}

/** Waits until the database holds a row of the visitors and can be asked for it; rejects when it does not. */
export function untilRecorded(product: Product): Promise<Recorded> {
  const ask = async () => (await countRecorded(product)) ?? NOTHING;
  return poll(ask, ({ rows }) => rows > 0, PATIENCE_MS);
}

/** Waits until all requests of the visitors are there; what is there when patience is over, otherwise. */
export async function countWhenAllAre(product: Product, requests: number): Promise<Recorded> {
  let last = NOTHING;
  const ask = async () => (last = (await countRecorded(product)) ?? last);
  await poll(ask, (recorded) => recorded.requests >= requests, PATIENCE_MS).catch(() => undefined);
  return last;
}
