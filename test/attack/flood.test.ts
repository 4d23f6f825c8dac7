import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CHALLENGE } from '@guard/config/contract/limits';
import type { SessionStore } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { visit } from '../kit/visitors/visitors.ts';
import { type Served, serveValidator } from '../spec/serve-validator.ts';
import { send } from '../kit/http.ts';
import { openPage, post, uploadOf } from './challenged-visitor.ts';
import { countedStore } from './counted-store.ts';

const RULES = '[{ name: r, match: {}, challenge: always }]';

/** The i-th of 16 million addresses. */
const address = (i: number) => `84.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;

/**
 * Requests pages without a cookie, each from a new address, and never answers a challenge. Returns the number of
 * challenge pages.
 */
async function flood({ inProcess, events }: Served, from: number, to: number): Promise<number> {
  let pages = 0;
  for (let i = from; i < to; i += 1) {
    const outcome = await inProcess(visit({ ip: address(i) }), { site: '' });
    if (outcome.kind === 'answered' && outcome.response.response_html !== undefined) pages += 1;
    // The events must not grow the heap that this test measures.
    events.length = 0;
  }
  return pages;
}

describe('a flood of challenges that get no answer ("memory bounded, no per-visitor state before a pass")', () => {
  test('for 200 challenges Guard does not call the store', async () => {
    const { store, calls } = countedStore();
    const served = await serveValidator({ store, rules: RULES });
    expect(await flood(served, 0, 200)).toBe(200);
    expect(calls).toEqual({ session: 0, keepSession: 0, spend: 0, take: 0 });
  });

  test('when a session comes again without an answer, Guard looks it up and writes nothing into the store', async () => {
    const { store, calls } = countedStore();
    const served = await serveValidator({ store, rules: RULES });
    const { session } = await openPage(served);
    for (let i = 0; i < 20; i += 1) await served.ask(visit({ cookie: session }));
    expect(calls).toEqual({ session: 20, keepSession: 0, spend: 0, take: 0 });
  });

  test('10,000 challenge pages do not grow the heap', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapMiB = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    const { store } = countedStore();
    const served = await serveValidator({ store, rules: RULES });
    // The first pages fill the bounded caches of agents and addresses.
    await flood(served, 0, 5_000);
    const beforeMiB = heapMiB();
    expect(await flood(served, 5_000, 15_000)).toBe(10_000);
    const growthMiB = heapMiB() - beforeMiB;
    console.log(`heap after 10,000 pages: ${growthMiB.toFixed(2)} MiB more`);
    // The limit is 105 bytes per page. A record for each visitor would need more. Garbage of earlier tests can be
    // collected during the measurement, which only lowers the result.
    expect(growthMiB).toBeLessThan(1);
  });
});

describe('uploads are limited, and no visitor uses up the budget of others', () => {
  // The clock stands still, so that no budget refills on a slow machine.
  const storeWithStoppedClock = () => countedStore({ limits: true, clock: () => 0 });
  const { firstUploadsPerAddress, uploadsPerNetwork, vainUploadsPerAddress } = CHALLENGE;

  test('many invalid uploads of one address get 429 with Retry-After, and other visitors still pass', async () => {
    const { store, keptSessions } = storeWithStoppedClock();
    const served = await serveValidator({ store, rules: RULES });
    const { requests } = vainUploadsPerAddress;
    for (let i = 0; i < requests; i += 1) expect((await post(served, '{}')).status).toBe(400);
    const answer = await post(served, '{}');
    expect(answer).toMatchObject({ status: 429, body: '{"result":"retry"}' });
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    // A valid upload passes even from the same address, because invalid uploads have their own budget.
    const verified = await post(served, uploadOf(await openPage(served)));
    expect(verified.body).toBe('{"result":"reload"}');
    expect(keptSessions).toHaveLength(1);
  });

  test('after many uploads that say that the visitor has left the page, 429 follows, as after invalid uploads', async () => {
    const served = await serveValidator({ store: storeWithStoppedClock().store, rules: RULES });
    const { ticket } = uploadOf(await openPage(served));
    const leftUpload = { ticket, left: true };
    for (let i = 0; i <= vainUploadsPerAddress.requests; i += 1) {
      expect((await post(served, leftUpload)).status).toBe(200);
    }
    expect((await post(served, leftUpload)).status).toBe(429);
  });

  test('when one answer is sent 300 times at once, it takes one upload from the budget of its network', async () => {
    const { store } = storeWithStoppedClock();
    const networks: string[] = [];
    const recordingStore: SessionStore = {
      ...store,
      take(name, subject, budget) {
        if (name === 'upload') networks.push(subject);
        return store.take(name, subject, budget);
      },
    };
    const served = await serveValidator({ store: recordingStore, rules: RULES });
    const upload = uploadOf(await openPage(served));
    for (let i = 0; i < firstUploadsPerAddress.requests; i += 1) {
      await store.take('first-uploads', '127.0.0.1', firstUploadsPerAddress);
    }
    await Promise.all(Array.from({ length: 300 }, () => post(served, upload)));
    // This is the network of the challenged visitor, and not the network of the sender.
    expect(networks).toEqual(['84.115.20.0/24']);
  });

  test('a network with a used-up budget still accepts the first uploads of each address, and then answers 429', async () => {
    const { store } = storeWithStoppedClock();
    const served = await serveValidator({ store, rules: RULES });
    for (let i = 0; i < uploadsPerNetwork.requests; i += 1) {
      await store.take('upload', '84.115.20.0/24', uploadsPerNetwork);
    }
    const results: string[] = [];
    for (let i = 0; i <= firstUploadsPerAddress.requests; i += 1) {
      const { evidence, ...others } = uploadOf(await openPage(served));
      // With another start time, the evidence is that of another document.
      const startedAtMs = evidence.startedAtMs + i;
      const answer = await post(served, { ...others, evidence: { ...evidence, startedAtMs } });
      results.push(`${answer.status} ${answer.body}`);
    }
    const count = firstUploadsPerAddress.requests;
    expect(results.slice(0, count)).toEqual(
      Array.from({ length: count }, () => '200 {"result":"reload"}'),
    );
    expect(results[count]).toBe('429 {"result":"retry"}');
  });

  test('a preflight of another site is refused, and a simple request of another site changes nothing', async () => {
    const { store, calls } = storeWithStoppedClock();
    const served = await serveValidator({ store, rules: RULES });
    const origin = 'https://evil.example';
    const url = `${served.collectorUrl}/verify`;
    const allowedOrigin = async (from: string) =>
      (await send(url, { method: 'OPTIONS', headers: { origin: from } })).headers[
        'access-control-allow-origin'
      ];
    expect(await allowedOrigin(origin)).toBeUndefined();
    expect(await allowedOrigin('https://localhost.evil.example')).toBeUndefined();
    // This is the page origin of a developer on the same machine.
    expect(await allowedOrigin('http://127.0.0.1:3000')).toBe('http://127.0.0.1:3000');
    const callsBefore = { ...calls };
    expect((await post(served, '{}', { origin, 'content-type': 'text/plain' })).status).toBe(415);
    expect(calls).toEqual(callsBefore);
  });
});
