import { expect, test } from 'vitest';
import { describeServer } from '../../analytics/src/testing/server.ts';
import { totals } from '../../dashboard/page/sql/overview.ts';
import { askDashboard, DASHBOARD_LISTEN, signIn } from '../kit/product/dashboard.ts';
import { poll, send } from '../kit/http.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { curl } from '../kit/visitors/visitors.ts';

test('two instances with one ClickHouse server show the same numbers, with the traffic of both instances', async () => {
  const server = await describeServer(['acme']);
  await server.start();
  const { url, writer } = server;
  const analytics = { engine: 'clickhouse', url, ...writer };
  const settings = productSettings('http://127.0.0.1:1', {
    top: { listen: DASHBOARD_LISTEN, analytics },
  });
  const products: Product[] = [];
  try {
    products.push(await startProduct(settings), await startProduct(settings));
    for (const [index, { addresses }] of products.entries()) {
      for (let visit = 0; visit <= index; visit++)
        await send(`${addresses.gateway}/`, { headers: curl });
    }
    const to = Date.now() + 60_000;
    const sql = totals({
      range: { from: to - 3_600_000, to },
      site: '',
      filters: [],
      verdict: 'action',
    });
    const showPicture = async (product: Product, cookie: string) => {
      const { body } = await askDashboard(product, '/api/query', { cookie, sql });
      return (JSON.parse(body) as { data: unknown[][] }).data;
    };
    const [first, second] = products;
    if (!first || !second) throw new Error('two were started');
    const cookie = await signIn(first);
    const picture = await poll(
      () => showPicture(first, cookie),
      ([row]) => Number(row?.[1]) === 3,
    );
    expect(await showPicture(second, await signIn(second))).toEqual(picture);
  } finally {
    for (const product of products) await product.stop();
    await server.close();
  }
});
