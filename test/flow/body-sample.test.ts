import { expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/sql.ts';
import { useProduct } from '../kit/use-product.ts';

/** Contract 2.7: the column `body`, through the whole product and out of the real database. */

const BODY = 'user=bob&password=hunter2&note=hello';
const rules = [{ name: 'no posts here', match: { path: '/closed' }, verdict: 'block' }];
const sampling = useProduct({ site: { sample_body: '2KiB', sample_without: ['note'] }, rules });
const silent = useProduct({ rules });

async function bodiesOf({ product }: typeof sampling): Promise<Record<string, string>> {
  for (const path of ['/open', '/closed']) {
    await send(`${product.addresses.gateway}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'test' },
      body: BODY,
    });
  }
  const rows = await poll(
    () =>
      rowsOf<{ path: string; body: string }>(
        product,
        "SELECT path, body FROM events_distributed WHERE method = 'POST'",
      ),
    (found) => found.length === 2,
  );
  return Object.fromEntries(rows.map(({ path, body }) => [path, body]));
}

test('a site that samples bodies has their first bytes in SQL, also of what was blocked, and no secret', async () => {
  const kept = 'user=bob&password=***&note=***';
  expect(await bodiesOf(sampling)).toEqual({ '/open': kept, '/closed': kept });
});

test('off by default: the column is empty', async () => {
  expect(await bodiesOf(silent)).toEqual({ '/open': '', '/closed': '' });
});
