import { randomUUID } from 'node:crypto';
import { poll } from '../test/kit/http.ts';
import { rowsOf } from '../test/kit/product/sql.ts';
import type { Product } from '../test/kit/product/start-product.ts';

/** The time limit until an event can be found by SQL. */
const EVENTS_MS = 30_000;

/**
 * Returns `columns` of all events whose path begins with `prefix`, oldest first. Events are written in order. So
 * `visit` requests one more path, and when the event of this path can be found, all earlier events can be found too.
 */
export async function findEvents<Row extends object>(
  product: Product,
  prefix: string,
  columns: string,
  visit: (path: string) => Promise<unknown>,
): Promise<Row[]> {
  const marker = `${prefix}marker-`;
  const last = `${marker}${randomUUID()}`;
  await visit(last);
  const statement = `SELECT path, ${columns} FROM events_distributed WHERE startsWith(path, '${prefix}') ORDER BY created_at`;
  const rows = await poll(
    () => rowsOf<Row & { readonly path: string }>(product, statement),
    (found) => found.some(({ path }) => path === last),
    EVENTS_MS,
  );
  return rows.filter(({ path }) => !path.startsWith(marker));
}
