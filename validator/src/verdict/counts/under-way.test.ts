import { describe, expect, test } from 'vitest';
import {
  countAllowed,
  detectingValidator,
  newSession,
} from '../../../../test/kit/product/decisions.ts';
import { scriptFetch, visit } from '../../../../test/kit/visitors/visitors.ts';

const PERIOD_MS = 600_000;
const MINUTE_MS = 60_000;

describe('requests of an address that wait for the origin', () => {
  test.each([
    // A browser has 100 streams over HTTP/2, and a page can request all its data at once.
    ['100 requests for data', '/list', 100],
    ['500 parts of pages', '/list;x.css', 500],
  ])(
    'while the origin gives no answer, at most %s of an address wait',
    async (_, path, allowedCount) => {
      const guard = detectingValidator();
      const cookie = await newSession(guard);
      guard.origin.answers = 'never';
      const url = `https://shop.example${path}`;
      const part = () => visit({ url, headers: scriptFetch, cookie });
      expect(await countAllowed(guard, allowedCount + 1, part)).toBe(allowedCount);
      const neighbour = () => visit({ url, headers: scriptFetch, ip: '84.115.99.7' });
      expect(await countAllowed(guard, 1, neighbour)).toBe(1);
      // A page is challenged too. Without the challenge, the browser would show it without its data or its styles.
      expect(await countAllowed(guard, 1, () => visit())).toBe(0);
      guard.time.now += MINUTE_MS + 1;
      expect(await countAllowed(guard, 1, () => visit())).toBe(1);
    },
  );

  test.each([
    ['each reduce the allowed number of waiting requests by one', 0, 60],
    ['are forgotten after ten minutes', PERIOD_MS, 100],
  ])('documents that came back %s', async (_, laterMs, allowedCount) => {
    const guard = detectingValidator();
    const { cookies } = await guard.ask(visit());
    const data = () => visit({ headers: scriptFetch, cookie: cookies?.[0]?.value ?? '' });
    guard.origin.answers = 'document';
    expect(await countAllowed(guard, 40, data)).toBe(40);
    guard.time.now += laterMs;
    guard.origin.answers = 'never';
    expect(await countAllowed(guard, allowedCount + 1, data)).toBe(allowedCount);
  });
});
