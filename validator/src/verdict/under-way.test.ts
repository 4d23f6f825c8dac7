import { describe, expect, test } from 'vitest';
import { decisions, guarded, times } from '../../../test/kit/decisions.ts';
import { scriptFetch, visit } from '../../../test/kit/visitors.ts';

const PERIOD_MS = 600_000;
const MINUTE_MS = 60_000;

describe('requests of an address that wait for the origin', () => {
  test.each([
    // A browser has 100 streams over HTTP/2, and a page can request all its data at once.
    ['100 requests for data', '/list', 100],
    ['500 parts of pages', '/list;x.css', 500],
  ])('while no answer is known, at most %s of an address wait', async (_, path, most) => {
    const guard = guarded();
    const { cookies } = await guard.ask(visit());
    const cookie = cookies?.[0]?.value ?? '';
    guard.origin.answers = 'never';
    const url = `https://shop.example${path}`;
    const part = () => visit({ url, headers: scriptFetch, cookie });
    const found = await decisions(guard, most + 1, part);
    expect(found).toEqual([...times(most, 'allow'), 'redirect']);
    const neighbour = () => visit({ url, headers: scriptFetch, ip: '84.115.99.7' });
    expect(await decisions(guard, 1, neighbour)).toEqual(['allow']);
    // Otherwise the page would be shown without its data or its styles.
    expect(await decisions(guard, 1, () => visit())).toEqual(['redirect']);
    guard.time.now += MINUTE_MS + 1;
    expect(await decisions(guard, 1, () => visit())).toEqual(['allow']);
  });

  test.each([
    ['reduce the requests that may wait to 100 less these documents', 0, 60],
    ['are forgotten after ten minutes', PERIOD_MS, 100],
  ])('documents that came back %s', async (_, laterMs, most) => {
    const guard = guarded();
    const { cookies } = await guard.ask(visit());
    const data = () => visit({ headers: scriptFetch, cookie: cookies?.[0]?.value ?? '' });
    guard.origin.answers = 'document';
    expect(await decisions(guard, 40, data)).toEqual(times(40, 'allow'));
    guard.time.now += laterMs;
    guard.origin.answers = 'never';
    expect(await decisions(guard, most + 1, data)).toEqual([...times(most, 'allow'), 'redirect']);
  });
});
