import { expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp, inOrderOf } from '../kit/visitors/visitors.ts';

/**
 * These tests count the pages that scripts with the header fields of Chrome get, when the site has the rule of the
 * README.
 */

const CLOSED_HOST = 'away.example';
const testbed = useProduct({
  rules: [{ name: 'everybody', match: {}, detect: true, challenge: 'auto' }],
  sites: [{ hosts: [CLOSED_HOST], origin: `http://127.0.0.1:${await freePort()}` }],
});

const DATA = { ...chromeHttp, accept: 'application/json' };
const PICTURE = { ...chromeHttp, accept: 'image/avif,image/webp,image/apng,image/*,*/*;q=0.8' };

/** Sends one request from an address that a trusted proxy names. */
async function ask(
  path: string,
  ip: string,
  fields: Readonly<Record<string, string>> = chromeHttp,
  method = 'GET',
): Promise<{ readonly status: number; readonly cookie: string }> {
  const headers = { ...fields, 'x-forwarded-for': ip };
  const answer = await send(`${testbed.product.addresses.gateway}${path}`, { method, headers });
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  return { status: answer.status, cookie: cookie.split(';')[0] ?? '' };
}

/**
 * The maximum number of documents that an address gets since `startedAt`. The budget of 50 refills within ten minutes,
 * and one more document can be under way.
 */
const maxPages = (startedAt: number) => 51 + (performance.now() - startedAt) / 12_000;

const arrivedCount = (prefix: string) =>
  testbed.origin.arrivals.filter(({ url }) => url.startsWith(prefix)).length;

const countOf = (answers: readonly { readonly status: number }[], expected: number) =>
  answers.filter(({ status }) => status === expected).length;

test('a script with the headers of a browser gets its free pages, and no page more in 200 requests', async () => {
  const answers = Array.from({ length: 200 }, (_, index) => ask(`/pages/${index}`, '84.115.20.7'));
  expect(countOf(await Promise.all(answers), 403)).toBe(195);
  expect(arrivedCount('/pages/')).toBe(5);
});

test('a script that claims that each page is a form of another site gets two pages more, because a return from a payment needs them', async () => {
  const form = { ...chromeHttp, origin: 'https://bank.example', 'content-length': '0' };
  const answers = [];
  for (let index = 0; index < 12; index++) {
    answers.push(await ask(`/returned/${index}`, '84.115.25.7', form, 'POST'));
  }
  expect(countOf(answers, 403)).toBe(5);
  expect(arrivedCount('/returned/')).toBe(7);
});

test.each([
  ['claims that each page is data', '84.115.21.7', 200, (index: number) => `/claimed/${index}`, {}],
  [
    'adds the name of a picture',
    '84.115.22.7',
    200,
    (index: number) => `/named/${index}/x.png`,
    {},
  ],
  [
    'asks for each page in two ranges',
    '84.115.24.7',
    206,
    (index: number) => `/ranges/${index}`,
    { range: 'bytes=0-0,1-99999' },
  ],
])(
  'a script that %s gets 50 pages, because the answers are documents',
  async (_how, ip, expected, pathOf, fields) => {
    const { cookie } = await ask('/first', ip);
    const startedAt = performance.now();
    let passCount = 0;
    for (let index = 0; index < 100; index++) {
      const { status } = await ask(pathOf(index), ip, { ...DATA, ...fields, cookie });
      if (status === expected) passCount += 1;
    }
    expect(passCount).toBeGreaterThan(0);
    expect(passCount).toBeLessThanOrEqual(maxPages(startedAt));
    expect((await ask('/second', ip, { ...chromeHttp, cookie })).status).toBe(403);
  },
);

test.each([
  ['data', DATA, 50],
  ['a picture', PICTURE, 5],
])(
  'a script that requests 300 pages at once, and claims that each is %s, gets no more than one after the other',
  async (what, claim, most) => {
    const ip = `84.115.23.${what.length}`;
    // A claimed picture is believed only before the address has loaded a page.
    const { cookie } = claim === DATA ? await ask('/first', ip) : { cookie: '' };
    const answers = Array.from({ length: 300 }, (_, index) =>
      ask(`/at-once/${index}`, ip, { ...claim, ...(cookie && { cookie }) }),
    );
    const passedCount = countOf(await Promise.all(answers), 200);
    expect(passedCount).toBeGreaterThan(0);
    expect(passedCount).toBeLessThanOrEqual(most);
  },
);

test('an app whose site answers each missing picture with HTML keeps its data and its orders', async () => {
  const ip = '84.115.26.7';
  const { cookie } = await ask('/first', ip);
  for (let index = 0; index < 150; index++) {
    await ask(`/missing/${index}.jpg`, ip, { ...PICTURE, cookie });
  }
  expect((await ask('/order', ip, { ...DATA, cookie }, 'POST')).status).toBe(200);
  expect((await ask('/piece', ip, { ...DATA, cookie })).status).toBe(200);
});

/** The status for one of many visitors. Each visitor has another address, and another order of header fields. */
async function visit(path: string, visitor: number, host = chromeHttp['host'] ?? '') {
  const ip = `84.${115 + (visitor >> 8)}.${visitor & 255}.7`;
  return (await ask(path, ip, inOrderOf(visitor, { ...chromeHttp, host }))).status;
}

test('a failing origin gets fewer requests: some visitors of a path see the error, then each visitor of this path is challenged', async () => {
  const statuses: number[] = [];
  for (let visitor = 1_024; visitor < 1_064; visitor++) {
    statuses.push(await visit('/shop/a', visitor, CLOSED_HOST));
  }
  expect(statuses.filter((status) => status === 502).length).toBeLessThan(35);
  expect(new Set(statuses)).toEqual(new Set([502, 403]));
  expect(statuses.at(-1)).toBe(403);
  expect(await visit('/about', 1_070, CLOSED_HOST)).toBe(502);
});

test('600 addresses, each with its own client shape and path, get about 200 pages, and the events have the reason', async () => {
  const answers: number[] = [];
  const startedAt = performance.now();
  for (let firstPage = 0; firstPage < 600; firstPage += 50) {
    const batch = Array.from({ length: 50 }, (_, index) =>
      visit(`/page-${firstPage + index}`, firstPage + index),
    );
    answers.push(...(await Promise.all(batch)));
  }
  expect(answers.slice(-200).every((status) => status === 403)).toBe(true);
  // 200 pages at once, and then 10 more each second, because the count decreases. The 50 requests of a group come at
  // the same time.
  const bound = 200 + (performance.now() - startedAt) / 100 + 50;
  expect(arrivedCount('/page-')).toBeLessThan(bound);
  const reasons = await poll(
    () =>
      rowsOf<{ reason: string }>(
        testbed.product,
        `SELECT arrayJoin(block_reasons) AS reason FROM events_distributed WHERE path = '/page-599'`,
      ),
    (rows) => rows.length > 0,
  );
  expect(reasons).toContainEqual({ reason: 'pressure_by_client' });
  expect(await visit('/style.css', 1)).toBe(200);
});
