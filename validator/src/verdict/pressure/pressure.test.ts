import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../../test/kit/product/validator.ts';
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
import {
  countFree,
  createGuard,
  ipOf,
  MANY_PAGES,
  MINUTE_MS,
  reasonOf,
  reasonsOfCrowd,
  SECOND_MS,
  visitor,
} from './testing/crowd.ts';

const HOUR_MS = 60 * MINUTE_MS;

describe('a group with far more requests than normal', () => {
  test('1,000 addresses with one client shape get about 100 pages, other clients keep their free pages, and the log names the cause', async () => {
    const guard = createGuard();
    const reasonsOfFlood = await reasonsOfCrowd(guard, 1_000, 2 * SECOND_MS, (index) =>
      visitor(index, '/shop/a'),
    );
    expect(countFree(reasonsOfFlood)).toBeLessThanOrEqual(115);
    expect(reasonsOfFlood.at(-1)).toBe('pressure_by_client');
    const reasonsOfOthers = await reasonsOfCrowd(guard, 50, SECOND_MS, (index) => ({
      ...visitor(5_000 + index, '/about'),
      headers: firefoxHttps,
    }));
    expect(countFree(reasonsOfOthers)).toBe(50);
    expect(guard.logged).toEqual([
      ['pressure_begins', expect.objectContaining({ cause: 'pressure_by_client' })],
    ]);
  });

  test('pressure ends a minute after the flood', async () => {
    const guard = createGuard();
    await reasonsOfCrowd(guard, 1_000, 2 * SECOND_MS, (index) => visitor(index, '/shop/a'));
    guard.time.now += 50 * SECOND_MS;
    expect(await reasonOf(guard, visitor(2_000, '/'))).toBe('pressure_by_client');
    guard.time.now += 70 * SECOND_MS;
    expect(await reasonOf(guard, visitor(2_001, '/'))).toBe('');
    expect(guard.logged.map(([event]) => event)).toEqual(['pressure_begins', 'pressure_ends']);
  });

  test('clients that change their shape with each request form one group, and known shapes keep their free pages', async () => {
    const guard = createGuard();
    // During a quiet hour the shape of people's browsers becomes known.
    await reasonsOfCrowd(guard, 200, 1.2 * HOUR_MS, (index) => visitor(index, '/wiki/a'));
    const visitorWithNewShape = (index: number): ValidateRequest => ({
      ...visitor(10_000 + index, `/wiki${index}/a`),
      headers: inOrderOf(index, chromeHttps),
    });
    const reasonsOfFlood = await reasonsOfCrowd(guard, 1_500, 3 * SECOND_MS, visitorWithNewShape);
    expect(countFree(reasonsOfFlood)).toBeLessThanOrEqual(220);
    expect(await reasonOf(guard, visitor(300, '/wiki/a'))).toBe('');
  });

  test('many known clients at one part of the site put pressure on this part, whatever the spelling of its path is', async () => {
    const guard = createGuard();
    const shapes = 13;
    const quiet = (index: number) => visitor(index, '/', index % shapes);
    await reasonsOfCrowd(guard, 400, 1.2 * HOUR_MS, quiet);
    const spellings = ['/search?q=1', '/a/../search/b', '/%73earch', '/x/..;/search'];
    const reasonsOfFlood = await reasonsOfCrowd(guard, 600, 20 * SECOND_MS, (index) =>
      visitor(10_000 + index, spellings[index % 4] ?? '', index % shapes),
    );
    expect(countFree(reasonsOfFlood)).toBeLessThanOrEqual(300);
    expect(reasonsOfFlood.at(-1)).toBe('pressure_on_path');
    expect(await reasonOf(guard, visitor(300, '/', 3))).toBe('');
  });

  test('a flood of some minutes does not change the normal count, and a slow rise at most doubles it in an hour', () => {
    const group = new Group('crowd', 0, FLOOR);
    let nowMs = 0;
    /** How many requests are sent while the group is under pressure. */
    const countPressed = (perSecond: number, forMs: number) => {
      let pressed = 0;
      const endMs = nowMs + forMs;
      for (; nowMs < endMs; nowMs += 1_000 / perSecond) if (group.add(nowMs)) pressed += 1;
      return pressed;
    };
    expect(countPressed(50, 10 * MINUTE_MS)).toBeGreaterThan(0.98 * 30_000);
    nowMs += 5 * MINUTE_MS;
    expect(countPressed(4, 3 * HOUR_MS)).toBe(0);
    // Four requests a second are normal now. 25 a second are less than ten times as many.
    expect(countPressed(25, 5 * MINUTE_MS)).toBe(0);
    expect(countPressed(60, MINUTE_MS)).toBeGreaterThan(2_000);
    // A long flood becomes normal only after hours.
    expect(countPressed(60, HOUR_MS)).toBeGreaterThan(0.9 * 60 * 3_600);
  });

  test('one address alone causes no pressure, and requests for files are not counted', async () => {
    const guard = createGuard({});
    const reasonsOfOneAddress = await reasonsOfCrowd(guard, 500, SECOND_MS, () => visitor(1, '/'));
    expect(reasonsOfOneAddress.at(-1)).toBe('free_pages_used');
    await reasonsOfCrowd(guard, 500, SECOND_MS, (index) => ({
      ...visitor(index, '/a.css'),
      headers: pictureOfPage,
    }));
    expect(await reasonOf(guard, visitor(9_000, '/'))).toBe('');
    expect(guard.logged).toEqual([]);
  });

  test('data of an open page causes no pressure, and passes under pressure even without a cookie', async () => {
    const guard = createGuard();
    // A page sends no cookie to an API on another host, even after its visitor has passed.
    const data = () => ({ ...visitor(1, '/data'), headers: scriptFetch });
    await guard.ask(visitor(1, '/'));
    expect(countFree(await reasonsOfCrowd(guard, 500, SECOND_MS, data))).toBe(500);
    expect(guard.logged).toEqual([]);
    await reasonsOfCrowd(guard, 1_000, SECOND_MS, (index) => visitor(index + 5, '/'));
    expect(await reasonOf(guard, visitor(1, '/'))).toBe('pressure_by_client');
    expect(countFree(await reasonsOfCrowd(guard, 500, SECOND_MS, data))).toBe(500);
    // Without an open page, a request for data is counted as a page.
    expect(await reasonOf(guard, { ...visitor(9_000, '/data'), headers: scriptFetch })).toBe(
      'pressure_by_client',
    );
  });

  test('files, data of a known session, and verified visitors pass under pressure', async () => {
    const guard = createGuard();
    const { cookies } = await guard.ask(visitor(1, '/'));
    const cookie = cookies?.[0]?.value ?? '';
    await reasonsOfCrowd(guard, 1_000, SECOND_MS, (index) => visitor(index, '/'));
    expect(await reasonOf(guard, visitor(1, '/'))).toBe('pressure_by_client');
    expect(await reasonOf(guard, { ...visitor(1, '/data'), headers: scriptFetch, cookie })).toBe(
      '',
    );
    expect(await reasonOf(guard, { ...visitor(1, '/a.css'), headers: pictureOfPage })).toBe('');
    guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), MINUTE_MS);
    expect(await reasonOf(guard, { ...visitor(1, '/'), cookie })).toBe('');
  });

  test('with pressure: false or free_pages: false there is no pressure', async () => {
    for (const off of [{ ...MANY_PAGES, pressure: false }, { free_pages: false }]) {
      const reasons = await reasonsOfCrowd(createGuard(off), 500, SECOND_MS, (index) =>
        visitor(index, '/'),
      );
      expect(countFree(reasons)).toBe(500);
    }
  });
});

test('documents in answer to requests for data are counted as pages, even with a session, and under pressure each address gets only a few', async () => {
  const guard = validatorWith('[{ name: everybody, match: {}, detect: true, challenge: auto }]');
  const headers = (index: number, from: typeof chromeHttps) => inOrderOf(index, from);
  const cookies: string[] = [];
  for (let index = 0; index <= 60; index++) {
    guard.time.now += 100;
    const { cookies: issuedCookies } = await guard.ask(
      visit({ ip: ipOf(index * 256), headers: headers(index, chromeHttps) }),
    );
    cookies.push(issuedCookies?.[0]?.value ?? '');
  }
  guard.origin.answers = 'document';
  const reasons = await reasonsOfCrowd(guard, 60 * 20, 2 * SECOND_MS, (index) => {
    const address = Math.floor(index / 20);
    return visit({
      ip: ipOf(address * 256),
      url: `https://shop.example/list/${index}`,
      headers: headers(address, scriptFetch),
      cookie: cookies[address] ?? '',
    });
  });
  expect(guard.logged).toEqual([
    ['pressure_begins', expect.objectContaining({ cause: 'pressure_by_client' })],
  ]);
  expect(countFree(reasons)).toBeLessThan(40 * 20 + 20 * 12);
  // The last address has the same new shape as the other addresses.
  guard.origin.answers = 'data';
  const json = await reasonsOfCrowd(guard, 300, SECOND_MS, () =>
    visit({ ip: ipOf(60 * 256), headers: headers(60, scriptFetch), cookie: cookies[60] ?? '' }),
  );
  expect([...new Set(json)]).toEqual(['']);
});
