import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CHALLENGE } from '@guard/config/contract/limits';
import { describe, expect, test } from 'vitest';
import { visit } from '../kit/visitors.ts';
import { type Served, serveValidator } from '../spec/serve-validator.ts';
import { challenged, post, uploadOf } from './challenged-visitor.ts';
import { countedStore } from './counted-store.ts';

const RULES = '[{ name: r, match: {}, challenge: always }]';

/** The i-th of 16 million addresses. */
const address = (i: number) => `84.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;

/** Asks for a page from a new address each time, without a cookie, and never answers. */
async function flood({ inProcess, events }: Served, from: number, to: number): Promise<number> {
  let pages = 0;
  for (let i = from; i < to; i += 1) {
    const outcome = await inProcess(visit({ ip: address(i) }), { site: '' });
    if (outcome.kind === 'answered' && outcome.response.response_html !== undefined) pages += 1;
    // The list of this test is not what is measured.
    events.length = 0;
  }
  return pages;
}

describe('a flood of issues without solutions ("memory bounded, no per-visitor state before a pass")', () => {
  test('2,000 challenges ask the store for nothing and leave nothing in it', async () => {
    const { store, calls } = countedStore();
    const served = await serveValidator({ store, rules: RULES });
    expect(await flood(served, 0, 2_000)).toBe(2_000);
    expect(calls).toEqual({ session: 0, keepSession: 0, spend: 0, take: 0 });
  });

  test('a session that comes again unanswered is looked for, and still leaves nothing', async () => {
    const { store, calls } = countedStore();
    const served = await serveValidator({ store, rules: RULES });
    const { session } = await challenged(served);
    for (let i = 0; i < 20; i += 1) await served.ask(visit({ cookie: session }));
    expect(calls).toEqual({ session: 20, keepSession: 0, spend: 0, take: 0 });
  });

  test('40,000 issued pages leave the heap as it was', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapMiB = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    const { store } = countedStore();
    const served = await serveValidator({ store, rules: RULES });
    // Bounded caches (agents, addresses) have filled by then.
    await flood(served, 0, 10_000);
    const before = heapMiB();
    expect(await flood(served, 10_000, 50_000)).toBe(40_000);
    const grown = heapMiB() - before;
    console.log(`heap after 40,000 pages: ${grown.toFixed(1)} MiB more`);
    // Any record kept for each visitor would be more: this is 40 bytes.
    expect(grown).toBeLessThan(1.5);
  }, 120_000);
});

describe('uploads of one network are bounded', () => {
  test('a burst passes, the next is 429 with Retry-After, and is taken when that time is over', async () => {
    // A clock that stands still: however slow the machine is, nothing of the budget comes back.
    const { store, kept } = countedStore({ limits: true, clock: () => 0 });
    const served = await serveValidator({ store, rules: RULES });
    const { requests } = CHALLENGE.uploadsPerNetwork;
    for (let i = 0; i < requests; i += 1) expect((await post(served, '{}')).status).toBe(400);
    const visitor = await challenged(served);
    const limited = await post(served, uploadOf(visitor));
    expect(limited).toMatchObject({ status: 429, body: '{"result":"retry"}' });
    expect(limited.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(kept).toEqual([]);
  });
});
