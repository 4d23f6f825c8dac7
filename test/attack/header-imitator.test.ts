import { request } from 'node:http';
import { expect, test } from 'vitest';
import { chromeHttp } from '../kit/visitors.ts';
import { useProduct } from '../kit/use-product.ts';

/** The rule of the README, enforced. */
const story = useProduct({
  rules: [{ name: 'everybody', match: {}, detect: true, challenge: 'auto' }],
});

const DATA = { ...chromeHttp, accept: 'application/json' };

/** A script with the header fields of Chrome, from an address that a trusted proxy tells. Gives the status. */
function ask(
  path: string,
  ip: string,
  fields: Readonly<Record<string, string>> = chromeHttp,
): Promise<{ readonly status: number; readonly cookie: string }> {
  return new Promise((resolve, reject) => {
    const { gateway } = story.product.addresses;
    const headers = { ...fields, 'x-forwarded-for': ip };
    const sent = request(`${gateway}${path}`, { headers }, (answer) => {
      const [cookie = ''] = answer.headers['set-cookie'] ?? [];
      answer.resume().on('end', () => {
        resolve({ status: answer.statusCode ?? 0, cookie: cookie.split(';')[0] ?? '' });
      });
    });
    sent.on('error', reject).end();
  });
}

/** Most documents of an address since `began`: a budget of 50, which refills in ten minutes, and one under way. */
const most = (began: number) => 51 + (performance.now() - began) / 12_000;

const arrived = (prefix: string) =>
  story.origin.arrivals.filter(({ url }) => url.startsWith(prefix)).length;

test('a script with the headers of a browser gets its free pages, and no page more in 600 requests', async () => {
  const asked = Array.from({ length: 600 }, (_, index) => ask(`/pages/${index}`, '84.115.20.7'));
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(595);
  expect(arrived('/pages/')).toBe(5);
});

test('a script that calls each page data gets 50 of them, because the answers are documents', async () => {
  const ip = '84.115.21.7';
  const { cookie } = await ask('/first', ip);
  const began = performance.now();
  let passed = 0;
  for (let index = 0; index < 100; index++) {
    const { status } = await ask(`/claimed/${index}`, ip, { ...DATA, cookie });
    if (status === 200) passed += 1;
  }
  expect(passed).toBeLessThanOrEqual(most(began));
  expect(arrived('/claimed/')).toBe(passed);
  expect((await ask('/second', ip, { ...chromeHttp, cookie })).status).toBe(403);
});

test('so does a script that puts the name of a picture behind each page', async () => {
  const ip = '84.115.22.7';
  const began = performance.now();
  let passed = 0;
  for (let index = 0; index < 100; index++) {
    const { status } = await ask(`/named/${index}/x.png`, ip, DATA);
    if (status === 200) passed += 1;
  }
  expect(passed).toBeLessThanOrEqual(most(began));
});

test('a script that asks for 300 pages at once, and calls each data, gets at most 100 of them', async () => {
  const ip = '84.115.23.7';
  const { cookie } = await ask('/first', ip);
  const asked = Array.from({ length: 300 }, (_, index) =>
    ask(`/at-once/${index}`, ip, { ...DATA, cookie }),
  );
  const answers = await Promise.all(asked);
  const passed = answers.filter(({ status }) => status === 200).length;
  expect(passed).toBeLessThanOrEqual(100);
  expect(arrived('/at-once/')).toBe(passed);
});

test('so does a script that asks for each page in two ranges', async () => {
  const ip = '84.115.24.7';
  const { cookie } = await ask('/first', ip);
  const ranges = { ...DATA, range: 'bytes=0-0,1-99999', cookie };
  const began = performance.now();
  let passed = 0;
  for (let index = 0; index < 100; index++) {
    const { status } = await ask(`/ranges/${index}`, ip, ranges);
    if (status === 206) passed += 1;
  }
  expect(passed).toBeGreaterThan(0);
  expect(passed).toBeLessThanOrEqual(most(began));
  expect(arrived('/ranges/')).toBe(passed);
});
