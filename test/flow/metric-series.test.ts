import { Agent, request } from 'node:http';
import { reasons } from '@guard/config/contract/reasons';
import { beforeAll, describe, expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { seededRandom } from '../kit/seeded-random.ts';
import { useProduct } from '../kit/product/use-product.ts';

/** These tests check that values from visitors do not create series of metrics. */

const testbed = useProduct({
  rules: [
    { name: 'open', match: { path: '/open/**' }, verdict: 'allow' },
    { name: 'everybody', match: {}, detect: true },
  ],
  site: { hosts: ['127.0.0.1', '*.shop.example'] },
  top: { workers: 2, analytics: undefined },
});

const random = seededRandom();
console.log(`seed ${random.seed}`);

const REQUESTS = 10_000;
const CONNECTIONS = 16;
const METHODS = ['GET', 'POST', 'HEAD', 'PROPFIND', 'DELETE', 'MKCOL'] as const;

interface Page {
  /** The names of the series, with their labels. */
  readonly series: readonly string[];
  readonly requests: number;
}

async function scrape(): Promise<Page> {
  const { body } = await send(`${testbed.product.addresses.admin}/metrics`);
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const requests = lines
    .filter((line) => line.startsWith('guard_gateway_requests_total{'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  return { series: lines.map((line) => line.slice(0, line.lastIndexOf(' '))).toSorted(), requests };
}

/** Sends requests that all differ in host, path, agent, address, cookie and referrer. */
async function sendMany(count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const { hostname, port } = new URL(testbed.product.addresses.gateway);
  const sendOne = (): Promise<void> => {
    const inventedName = `${random.next().toString(36).slice(2)}${random.next().toString(36).slice(2)}`;
    const inventedHost =
      random.next() < 0.5 ? `${inventedName}.shop.example` : `${inventedName}.example`;
    const address = Array.from({ length: 4 }, () => 1 + random.below(250)).join('.');
    const headers = {
      host: inventedHost,
      'user-agent': `${inventedName}/1.0`,
      'x-forwarded-for': address,
      referer: `https://${inventedName}.example/`,
      cookie: `_guard=${inventedName}`,
    };
    const path = `/${random.next() < 0.2 ? 'open' : 'shut'}/${inventedName}?${inventedName}=1`;
    const method = random.pick(METHODS);
    return new Promise((resolve, reject) => {
      request({ hostname, port, agent, path, method, headers }, (answer) => {
        answer.resume().on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  };
  const line = async (share: number): Promise<void> => {
    for (let i = 0; i < share; i++) await sendOne();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, () => line(count / CONNECTIONS)));
  agent.destroy();
}

describe('10,000 visitors who all differ', () => {
  let pageBefore: Page;
  let pageAfter: Page;

  beforeAll(async () => {
    // The first requests lead to each outcome, each action and each usual reason.
    await sendMany(800);
    pageBefore = await poll(scrape, ({ requests }) => requests >= 800);
    await sendMany(REQUESTS);
    pageAfter = await poll(scrape, ({ requests }) => requests >= REQUESTS + 800);
  }, 120_000);

  test('are all counted', () => {
    expect(pageAfter.requests).toBe(REQUESTS + 800);
  });

  test('add no series, except for rare block reasons, after the first visitors', () => {
    expect(pageBefore.series.length).toBeGreaterThan(30);
    const addedSeries = pageAfter.series.filter((name) => !pageBefore.series.includes(name));
    const seriesOfReasons = Object.keys(reasons).map(
      (reason) => `guard_block_reasons_total{reason="${reason}"}`,
    );
    expect(addedSeries.filter((name) => !seriesOfReasons.includes(name))).toEqual([]);
  });

  test('leave no value that they sent on the metrics page', () => {
    expect(
      pageAfter.series.filter((name) => /shop\.example|Mozilla|\/open|PROPFIND/.test(name)),
    ).toEqual([]);
  });
});
