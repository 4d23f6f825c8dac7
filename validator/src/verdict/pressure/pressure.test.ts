import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import { type TestValidator, validatorWith } from '../../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../../test/kit/visitors/verified-session.ts';
import {
  chromeHttps,
  firefoxHttps,
  inOrderOf,
  pictureOfPage,
  scriptFetch,
  visit,
} from '../../../../test/kit/visitors/visitors.ts';
import { FLOOR, Group } from './group.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** So many free pages that no address and no shape uses them up. */
const MANY_PAGES = { free_pages: { pages: 10_000, per: '1m' } };

const guarded = (challenge: Readonly<Record<string, unknown>> = MANY_PAGES) =>
  validatorWith('[{ name: everybody, match: {}, detect: true, challenge: auto }]', {
    organisation: { challenge },
  });

const ipOf = (index: number) => `84.${115 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

/** A visitor with its own address. Each `shape` is another client shape. */
function visitor(index: number, path: string, shape = 0): ValidateRequest {
  const names = Object.entries(chromeHttps);
  // The order of the header fields makes the client shape.
  const headers = Object.fromEntries([...names.slice(shape), ...names.slice(0, shape)]);
  return visit({ ip: ipOf(index), url: `https://shop.example${path}`, headers });
}

/** The reasons why `count` visitors in `overMs` were challenged; an empty string for each visitor who was not. */
async function crowd(
  guard: TestValidator,
  count: number,
  overMs: number,
  requestOf: (index: number) => ValidateRequest,
): Promise<string[]> {
  const found: string[] = [];
  for (let index = 0; index < count; index++) {
    guard.time.now += overMs / count;
    guard.events.length = 0;
    await guard.ask(requestOf(index));
    const { action, blockReasons } = guard.events.at(-1) ?? {};
    found.push(action === 'challenge' ? (blockReasons?.join() ?? '') : '');
  }
  return found;
}

const free = (found: readonly string[]) => found.filter((reason) => reason === '').length;
const last = async (guard: TestValidator, request: ValidateRequest) =>
  (await crowd(guard, 1, 1, () => request))[0];

describe('a group with far more requests than normal', () => {
  test('1,000 addresses with one client shape get about 100 pages; other clients keep their pages; the log names the cause', async () => {
    const guard = guarded();
    const flood = await crowd(guard, 1_000, 2 * SECOND_MS, (index) => visitor(index, '/shop/a'));
    expect(free(flood)).toBeLessThanOrEqual(115);
    expect(flood.at(-1)).toBe('pressure_by_client');
    const others = await crowd(guard, 50, SECOND_MS, (index) => ({
      ...visitor(5_000 + index, '/about'),
      headers: firefoxHttps,
    }));
    expect(free(others)).toBe(50);
    expect(guard.logged).toEqual([
      ['pressure_begins', expect.objectContaining({ cause: 'pressure_by_client' })],
    ]);
  });

  test('pressure ends a minute after the flood', async () => {
    const guard = guarded();
    await crowd(guard, 1_000, 2 * SECOND_MS, (index) => visitor(index, '/shop/a'));
    guard.time.now += 50 * SECOND_MS;
    expect(await last(guard, visitor(2_000, '/'))).toBe('pressure_by_client');
    guard.time.now += 70 * SECOND_MS;
    expect(await last(guard, visitor(2_001, '/'))).toBe('');
    expect(guard.logged.map(([event]) => event)).toEqual(['pressure_begins', 'pressure_ends']);
  });

  test('clients that change their shape with each request form one group; known shapes keep their pages', async () => {
    const guard = guarded();
    // In a quiet hour the shape of people's browsers becomes known.
    await crowd(guard, 200, 1.2 * HOUR_MS, (index) => visitor(index, '/wiki/a'));
    const changing = (index: number): ValidateRequest => ({
      ...visitor(10_000 + index, `/wiki${index}/a`),
      headers: inOrderOf(index, chromeHttps),
    });
    const flood = await crowd(guard, 1_500, 3 * SECOND_MS, changing);
    expect(free(flood)).toBeLessThanOrEqual(220);
    expect(await last(guard, visitor(300, '/wiki/a'))).toBe('');
  });

  test('many known clients at one part of the site put pressure on this part, in each spelling of its path', async () => {
    const guard = guarded();
    const shapes = 13;
    const quiet = (index: number) => visitor(index, '/', index % shapes);
    await crowd(guard, 400, 1.2 * HOUR_MS, quiet);
    const spellings = ['/search?q=1', '/a/../search/b', '/%73earch', '/x/..;/search'];
    const flood = await crowd(guard, 600, 20 * SECOND_MS, (index) =>
      visitor(10_000 + index, spellings[index % 4] ?? '', index % shapes),
    );
    expect(free(flood)).toBeLessThanOrEqual(300);
    expect(flood.at(-1)).toBe('pressure_on_path');
    expect(await last(guard, visitor(300, '/', 3))).toBe('');
  });

  test('a flood of minutes does not change the normal count; a slow rise at most doubles it in an hour', () => {
    const group = new Group('crowd', 0, FLOOR);
    let nowMs = 0;
    /** How many requests come under pressure. */
    const at = (perSecond: number, forMs: number) => {
      let pressed = 0;
      const endMs = nowMs + forMs;
      for (; nowMs < endMs; nowMs += 1_000 / perSecond) if (group.add(nowMs)) pressed += 1;
      return pressed;
    };
    expect(at(50, 10 * MINUTE_MS)).toBeGreaterThan(0.98 * 30_000);
    nowMs += 5 * MINUTE_MS;
    expect(at(4, 3 * HOUR_MS)).toBe(0);
    // Four a second are normal now. 25 a second are less than ten times as many.
    expect(at(25, 5 * MINUTE_MS)).toBe(0);
    expect(at(60, MINUTE_MS)).toBeGreaterThan(2_000);
    // A flood that continues becomes normal only after hours.
    expect(at(60, HOUR_MS)).toBeGreaterThan(0.9 * 60 * 3_600);
  });

  test('one address alone causes no pressure, and files do not count', async () => {
    const guard = guarded({});
    const one = await crowd(guard, 500, SECOND_MS, () => visitor(1, '/'));
    expect(one.at(-1)).toBe('free_pages_used');
    await crowd(guard, 500, SECOND_MS, (index) => ({
      ...visitor(index, '/a.css'),
      headers: pictureOfPage,
    }));
    expect(await last(guard, visitor(9_000, '/'))).toBe('');
    expect(guard.logged).toEqual([]);
  });

  test('data of an open page causes no pressure and passes under pressure, also without a cookie', async () => {
    const guard = guarded();
    // A page sends no cookie to an API on another host, even after its visitor has passed.
    const data = () => ({ ...visitor(1, '/data'), headers: scriptFetch });
    await guard.ask(visitor(1, '/'));
    expect(free(await crowd(guard, 500, SECOND_MS, data))).toBe(500);
    expect(guard.logged).toEqual([]);
    await crowd(guard, 1_000, SECOND_MS, (index) => visitor(index + 5, '/'));
    expect(await last(guard, visitor(1, '/'))).toBe('pressure_by_client');
    expect(free(await crowd(guard, 500, SECOND_MS, data))).toBe(500);
    // Without an open page, a request for data counts as a page.
    expect(await last(guard, { ...visitor(9_000, '/data'), headers: scriptFetch })).toBe(
      'pressure_by_client',
    );
  });

  test('files, data of a known session, and verified visitors pass under pressure', async () => {
    const guard = guarded();
    const { cookies } = await guard.ask(visitor(1, '/'));
    const cookie = cookies?.[0]?.value ?? '';
    await crowd(guard, 1_000, SECOND_MS, (index) => visitor(index, '/'));
    expect(await last(guard, visitor(1, '/'))).toBe('pressure_by_client');
    expect(await last(guard, { ...visitor(1, '/data'), headers: scriptFetch, cookie })).toBe('');
    expect(await last(guard, { ...visitor(1, '/a.css'), headers: pictureOfPage })).toBe('');
    guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), MINUTE_MS);
    expect(await last(guard, { ...visitor(1, '/'), cookie })).toBe('');
  });

  test('with pressure: false or free_pages: false there is no pressure', async () => {
    for (const off of [{ ...MANY_PAGES, pressure: false }, { free_pages: false }]) {
      const found = await crowd(guarded(off), 500, SECOND_MS, (index) => visitor(index, '/'));
      expect(free(found)).toBe(500);
    }
  });
});

test('documents requested as data count as pages, also with a session; under pressure each address gets few', async () => {
  const guard = validatorWith('[{ name: everybody, match: {}, detect: true, challenge: auto }]');
  const headers = (index: number, from: typeof chromeHttps) => inOrderOf(index, from);
  const cookies: string[] = [];
  for (let index = 0; index <= 60; index++) {
    guard.time.now += 100;
    const { cookies: given } = await guard.ask(
      visit({ ip: ipOf(index * 256), headers: headers(index, chromeHttps) }),
    );
    cookies.push(given?.[0]?.value ?? '');
  }
  guard.origin.answers = 'document';
  const found = await crowd(guard, 60 * 20, 2 * SECOND_MS, (index) => {
    const at = Math.floor(index / 20);
    return visit({
      ip: ipOf(at * 256),
      url: `https://shop.example/list/${index}`,
      headers: headers(at, scriptFetch),
      cookie: cookies[at] ?? '',
    });
  });
  expect(guard.logged).toEqual([
    ['pressure_begins', expect.objectContaining({ cause: 'pressure_by_client' })],
  ]);
  expect(free(found)).toBeLessThan(40 * 20 + 20 * 12);
  // The last address has the same new shape as the others.
  guard.origin.answers = 'data';
  const json = await crowd(guard, 300, SECOND_MS, () =>
    visit({ ip: ipOf(60 * 256), headers: headers(60, scriptFetch), cookie: cookies[60] ?? '' }),
  );
  expect([...new Set(json)]).toEqual(['']);
});

describe('a strained origin', () => {
  const shop = (index: number) => visitor(index % 250, `/shop/${index}`);

  test('when a part of the site fails, its pages and data are challenged, and no other part', async () => {
    const guard = guarded();
    guard.origin.answer = { status: 503, ms: 3 };
    const found = await crowd(guard, 30, 10 * SECOND_MS, shop);
    expect(free(found)).toBeLessThanOrEqual(25);
    expect(found.at(-1)).toBe('pressure_on_origin');
    const { cookies } = await guard.ask(visitor(1, '/about'));
    const data = { headers: scriptFetch, cookie: cookies?.[0]?.value ?? '' };
    expect(await last(guard, { ...shop(1), ...data })).toBe('pressure_on_origin');
    expect(await last(guard, visitor(1, '/about'))).toBe('');
    guard.origin.answer = { status: 200, ms: 3 };
    guard.time.now += MINUTE_MS;
    expect(free(await crowd(guard, 30, 10 * SECOND_MS, shop))).toBe(30);
  });

  test('an origin that answers far slower than normal is strained, but not an origin that is always slow', async () => {
    for (const [normalMs, slowMs, isStrained] of [
      [50, 900, true],
      [600, 2_300, false],
      [600, 2_500, true],
    ] as const) {
      const guard = guarded();
      guard.origin.answer = { status: 200, ms: normalMs };
      await crowd(guard, 100, 15 * MINUTE_MS, shop);
      guard.origin.answer = { status: 200, ms: slowMs };
      const found = await crowd(guard, 60, 20 * SECOND_MS, shop);
      expect(found.at(-1)).toBe(isStrained ? 'pressure_on_origin' : '');
    }
  });

  test('bad answers to 19 addresses or to one IPv6 /48 are no strain; bad answers to 20 addresses are', async () => {
    const from = (addresses: number) => (index: number) =>
      visitor(index % addresses, `/shop/${index}`);
    for (const bad of [
      { status: 503, ms: 3 },
      { status: 200, ms: 900 },
    ]) {
      const guard = guarded();
      guard.origin.answer = { status: 200, ms: 50 };
      await crowd(guard, 100, 15 * MINUTE_MS, shop);
      guard.origin.answer = bad;
      expect(free(await crowd(guard, 60, 20 * SECOND_MS, from(19)))).toBe(60);
      guard.time.now += 2 * MINUTE_MS;
      const ofOneNetwork = (index: number) => ({
        ...shop(index),
        ip: `2a02:1748:1:${index.toString(16)}::1`,
      });
      expect(free(await crowd(guard, 60, 20 * SECOND_MS, ofOneNetwork))).toBe(60);
      guard.time.now += 2 * MINUTE_MS;
      expect((await crowd(guard, 60, 20 * SECOND_MS, from(20))).at(-1)).toBe('pressure_on_origin');
    }
  });

  test('an open page keeps its data while the origin is slow, but not while it fails', async () => {
    const guard = guarded();
    guard.origin.answer = { status: 200, ms: 50 };
    await crowd(guard, 100, 15 * MINUTE_MS, shop);
    const { cookies } = await guard.ask(visitor(1, '/about'));
    const cookie = cookies?.[0]?.value ?? '';
    const open = { ...shop(1), headers: { ...scriptFetch, cookie: `_guard=${cookie}` }, cookie };
    const unknown = { ...shop(9_000), headers: scriptFetch };
    guard.origin.answer = { status: 200, ms: 900 };
    await crowd(guard, 60, 20 * SECOND_MS, shop);
    expect(await last(guard, shop(1))).toBe('pressure_on_origin');
    expect(await last(guard, open)).toBe('');
    expect(await last(guard, unknown)).toBe('pressure_on_origin');
    // When the origin fails, requests of open pages are stopped too, because they may cause the failure.
    guard.origin.answer = { status: 503, ms: 900 };
    const found = await crowd(guard, 60, 10 * SECOND_MS, (index) => ({ ...open, ip: ipOf(index) }));
    expect(found.at(-1)).toBe('pressure_on_origin');
    expect(await last(guard, open)).toBe('pressure_on_origin');
  });

  test('errors are normal for an origin that failed for ten minutes, and one address alone causes no strain', async () => {
    const guard = guarded();
    guard.origin.answer = { status: 500, ms: 3 };
    expect(free(await crowd(guard, 200, MINUTE_MS, () => shop(1)))).toBe(200);
    await crowd(guard, 100, 11 * MINUTE_MS, shop);
    expect(free(await crowd(guard, 90, 30 * SECOND_MS, shop))).toBe(90);
  });

  test('an origin that is strained again at once is protected twice as long', async () => {
    const guard = guarded();
    guard.origin.answer = { status: 503, ms: 3 };
    await crowd(guard, 30, 10 * SECOND_MS, shop);
    guard.time.now += MINUTE_MS;
    await crowd(guard, 30, 10 * SECOND_MS, shop);
    guard.time.now += MINUTE_MS;
    expect(await last(guard, shop(1))).toBe('pressure_on_origin');
    guard.time.now += MINUTE_MS;
    expect(await last(guard, shop(1))).toBe('');
  });
});
