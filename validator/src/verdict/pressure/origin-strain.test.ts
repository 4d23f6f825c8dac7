import { describe, expect, test } from 'vitest';
import { scriptFetch } from '../../../../test/kit/visitors/visitors.ts';
import {
  countFree,
  createGuard,
  ipOf,
  MINUTE_MS,
  reasonOf,
  reasonsOfCrowd,
  SECOND_MS,
  visitor,
} from './testing/crowd.ts';

describe('a strained origin', () => {
  const shop = (index: number) => visitor(index % 250, `/shop/${index}`);

  test('when a part of the site fails, Guard challenges requests for its pages and data, and for no other part', async () => {
    const guard = createGuard();
    guard.origin.answer = { status: 503, ms: 3 };
    const reasons = await reasonsOfCrowd(guard, 30, 10 * SECOND_MS, shop);
    expect(countFree(reasons)).toBeLessThanOrEqual(25);
    expect(reasons.at(-1)).toBe('pressure_on_origin');
    const { cookies } = await guard.ask(visitor(1, '/about'));
    const data = { headers: scriptFetch, cookie: cookies?.[0]?.value ?? '' };
    expect(await reasonOf(guard, { ...shop(1), ...data })).toBe('pressure_on_origin');
    expect(await reasonOf(guard, visitor(1, '/about'))).toBe('');
    guard.origin.answer = { status: 200, ms: 3 };
    guard.time.now += MINUTE_MS;
    expect(countFree(await reasonsOfCrowd(guard, 30, 10 * SECOND_MS, shop))).toBe(30);
  });

  test('an origin that answers far slower than normal is strained, but an origin that is always slow is not', async () => {
    for (const [normalMs, slowMs, isStrained] of [
      [50, 900, true],
      [600, 2_300, false],
      [600, 2_500, true],
    ] as const) {
      const guard = createGuard();
      guard.origin.answer = { status: 200, ms: normalMs };
      await reasonsOfCrowd(guard, 100, 15 * MINUTE_MS, shop);
      guard.origin.answer = { status: 200, ms: slowMs };
      const reasons = await reasonsOfCrowd(guard, 60, 20 * SECOND_MS, shop);
      expect(reasons.at(-1)).toBe(isStrained ? 'pressure_on_origin' : '');
    }
  });

  test('bad answers to 19 addresses or to one IPv6 /48 are no strain, and bad answers to 20 addresses are strain', async () => {
    const from = (addresses: number) => (index: number) =>
      visitor(index % addresses, `/shop/${index}`);
    for (const badAnswer of [
      { status: 503, ms: 3 },
      { status: 200, ms: 900 },
    ]) {
      const guard = createGuard();
      guard.origin.answer = { status: 200, ms: 50 };
      await reasonsOfCrowd(guard, 100, 15 * MINUTE_MS, shop);
      guard.origin.answer = badAnswer;
      expect(countFree(await reasonsOfCrowd(guard, 60, 20 * SECOND_MS, from(19)))).toBe(60);
      guard.time.now += 2 * MINUTE_MS;
      const ofOneNetwork = (index: number) => ({
        ...shop(index),
        ip: `2a02:1748:1:${index.toString(16)}::1`,
      });
      expect(countFree(await reasonsOfCrowd(guard, 60, 20 * SECOND_MS, ofOneNetwork))).toBe(60);
      guard.time.now += 2 * MINUTE_MS;
      expect((await reasonsOfCrowd(guard, 60, 20 * SECOND_MS, from(20))).at(-1)).toBe(
        'pressure_on_origin',
      );
    }
  });

  test('an open page still gets data while the origin is slow, but not while it fails', async () => {
    const guard = createGuard();
    guard.origin.answer = { status: 200, ms: 50 };
    await reasonsOfCrowd(guard, 100, 15 * MINUTE_MS, shop);
    const { cookies } = await guard.ask(visitor(1, '/about'));
    const cookie = cookies?.[0]?.value ?? '';
    const openPageData = {
      ...shop(1),
      headers: { ...scriptFetch, cookie: `_guard=${cookie}` },
      cookie,
    };
    const otherData = { ...shop(9_000), headers: scriptFetch };
    guard.origin.answer = { status: 200, ms: 900 };
    await reasonsOfCrowd(guard, 60, 20 * SECOND_MS, shop);
    expect(await reasonOf(guard, shop(1))).toBe('pressure_on_origin');
    expect(await reasonOf(guard, openPageData)).toBe('');
    expect(await reasonOf(guard, otherData)).toBe('pressure_on_origin');
    // When the origin fails, requests of open pages are stopped too, because these can be the cause.
    guard.origin.answer = { status: 503, ms: 900 };
    const reasons = await reasonsOfCrowd(guard, 60, 10 * SECOND_MS, (index) => ({
      ...openPageData,
      ip: ipOf(index),
    }));
    expect(reasons.at(-1)).toBe('pressure_on_origin');
    expect(await reasonOf(guard, openPageData)).toBe('pressure_on_origin');
  });

  test('after ten minutes of failures, errors are normal for an origin, and one address alone causes no strain', async () => {
    const guard = createGuard();
    guard.origin.answer = { status: 500, ms: 3 };
    expect(countFree(await reasonsOfCrowd(guard, 200, MINUTE_MS, () => shop(1)))).toBe(200);
    await reasonsOfCrowd(guard, 100, 11 * MINUTE_MS, shop);
    expect(countFree(await reasonsOfCrowd(guard, 90, 30 * SECOND_MS, shop))).toBe(90);
  });

  test('an origin that is strained again at once is protected for twice the time', async () => {
    const guard = createGuard();
    guard.origin.answer = { status: 503, ms: 3 };
    await reasonsOfCrowd(guard, 30, 10 * SECOND_MS, shop);
    guard.time.now += MINUTE_MS;
    await reasonsOfCrowd(guard, 30, 10 * SECOND_MS, shop);
    guard.time.now += MINUTE_MS;
    expect(await reasonOf(guard, shop(1))).toBe('pressure_on_origin');
    guard.time.now += MINUTE_MS;
    expect(await reasonOf(guard, shop(1))).toBe('');
  });
});
