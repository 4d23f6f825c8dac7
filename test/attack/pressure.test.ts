import { request } from 'node:http';
import { expect, test } from 'vitest';
import { poll } from '../kit/http.ts';
import { rowsOf } from '../kit/sql.ts';
import { useProduct } from '../kit/use-product.ts';
import { chromeHttp, inOrderOf } from '../kit/visitors.ts';

/** The rule of the README, enforced. */
const story = useProduct({
  rules: [{ name: 'everybody', match: {}, detect: true, challenge: 'auto' }],
});

/** One page with header fields in an order of their own, from an address that a trusted proxy tells. Gives the status. */
function ask(path: string, visitor: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const ip = `84.${115 + (visitor >> 8)}.${visitor & 255}.7`;
    const headers = { ...inOrderOf(visitor, chromeHttp), 'x-forwarded-for': ip };
    const sent = request(`${story.product.addresses.gateway}${path}`, { headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject).end();
  });
}

test('1,000 addresses, each with a shape and a part of the site of its own, get 200 pages, and the events say why', async () => {
  const answers: number[] = [];
  const began = performance.now();
  for (let first = 0; first < 1_000; first += 50) {
    const asked = Array.from({ length: 50 }, (_, at) => ask(`/page-${first + at}`, first + at));
    answers.push(...(await Promise.all(asked)));
  }
  expect(answers.slice(-500).every((status) => status === 403)).toBe(true);
  // 200 at once, and those whose turn came while the count faded: ten a second. 50 come together.
  const most = 200 + (performance.now() - began) / 100 + 50;
  const { arrivals } = story.origin;
  expect(arrivals.filter(({ url }) => url.startsWith('/page-')).length).toBeLessThan(most);
  const reasons = await poll(
    () =>
      rowsOf<{ reason: string }>(
        story.product,
        `SELECT arrayJoin(block_reasons) AS reason FROM events_distributed WHERE path = '/page-999'`,
      ),
    (rows) => rows.length > 0,
  );
  expect(reasons).toContainEqual({ reason: 'pressure_by_client' });
  expect(await ask('/style.css', 1)).toBe(200);
});
