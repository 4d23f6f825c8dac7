import { expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/sql.ts';
import { useProduct } from '../kit/use-product.ts';

/** Contract 2.7: the column `body`, through the whole product and out of the real database. */

const BODY = 'user=bob&password=hunter2&note=hello';
const site = { organisation: 'acme', origin: 'http://127.0.0.1:1' };
const story = useProduct({
  rules: [{ name: 'no posts here', match: { path: '/closed' }, verdict: 'block' }],
  top: {
    sites: [
      { ...site, hosts: ['shop.example'], sample_body: '2KiB', sample_without: ['note'] },
      { ...site, hosts: ['silent.example'] },
    ],
  },
});

async function bodiesOf(host: string): Promise<Record<string, string>> {
  for (const path of ['/open', '/closed']) {
    await send(`${story.product.addresses.gateway}${path}`, {
      method: 'POST',
      headers: { host, 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'test' },
      body: BODY,
    });
  }
  const rows = await poll(
    () =>
      rowsOf<{ path: string; body: string }>(
        story.product,
        `SELECT path, body FROM events_distributed WHERE method = 'POST' AND host = '${host}'`,
      ),
    (found) => found.length === 2,
  );
  return Object.fromEntries(rows.map(({ path, body }) => [path, body]));
}

test.concurrent(
  'a site that samples bodies has their first bytes in SQL, also of what was blocked, and no secret',
  async () => {
    const kept = 'user=bob&password=***&note=***';
    expect(await bodiesOf('shop.example')).toEqual({ '/open': kept, '/closed': kept });
  },
);

test.concurrent('off by default: the column is empty', async () => {
  expect(await bodiesOf('silent.example')).toEqual({ '/open': '', '/closed': '' });
});
