import { describe, expect, test } from 'vitest';
import {
  countAllowed,
  countForwarded,
  decisions,
  detectingValidator,
  newSession,
} from '../../../../test/kit/product/decisions.ts';
import { verifiedSession } from '../../../../test/kit/visitors/verified-session.ts';
import {
  chromeHttps,
  curl,
  firefoxHttps,
  pictureOfPage,
  scriptFetch,
  visit,
} from '../../../../test/kit/visitors/visitors.ts';

const MINUTE_MS = 60_000;
describe('free pages with challenge: auto', () => {
  test('a visitor without a session gets five pages in ten minutes, and then a challenge with a reason', async () => {
    const guard = detectingValidator();
    expect(await countAllowed(guard, 7, () => visit())).toBe(5);
    expect(guard.events.at(-1)).toMatchObject({
      action: 'challenge',
      blockReasons: ['free_pages_used'],
      rule: 'everybody',
    });
    guard.time.now += 2 * MINUTE_MS;
    expect(await decisions(guard, 2, () => visit())).toEqual(['allow', 'redirect']);
  });

  test('after the free pages, two forms of another site pass, for example the return of a payment, because only that site can send them again', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const form = (site: string, ip = '84.115.20.7') =>
      visit({ ip, method: 'POST', headers: { ...firefoxHttps, 'sec-fetch-site': site } });
    await decisions(guard, 5, () => visit({ headers: firefoxHttps }));
    // The browser itself can send a form of the same origin again.
    expect(await countAllowed(guard, 2, () => form('same-origin'))).toBe(0);
    expect(await countAllowed(guard, 4, () => form('cross-site'))).toBe(2);
    expect(await countAllowed(guard, 2, () => visit({ headers: firefoxHttps }))).toBe(0);
    // All clients of one shape together have 100 pages and 40 forms of other sites. 5 pages and 2 forms are already
    // used.
    const from = (index: number) => form('cross-site', `84.116.${index}.7`);
    expect(await countAllowed(guard, 200, from)).toBe(95 + 38);
  });

  test('a visitor without free pages adds no counters by changing the order of header fields', async () => {
    const guard = detectingValidator();
    const fields = Object.entries(firefoxHttps);
    const rotatedFields = (i: number) => [
      ...fields.slice(i % fields.length),
      ...fields.slice(0, i % fields.length),
    ];
    await countAllowed(guard, 5, () => visit({ headers: firefoxHttps }));
    const { counterCount } = guard.store;
    expect(
      await countAllowed(guard, 8, (i) => visit({ headers: Object.fromEntries(rotatedFields(i)) })),
    ).toBe(0);
    expect(guard.store.counterCount).toBe(counterCount);
  });

  // A frame in a sandbox cannot pass the challenge. When an `<object>` gets 403, browsers show the content between its tags.
  test.each(['iframe', 'object', 'embed'])(
    'frames of a page of the same origin are free like its data: %s',
    async (destination) => {
      const guard = detectingValidator();
      guard.origin.answers = 'document';
      const frame = (site: string, ip?: string) => {
        const headers = { ...chromeHttps, 'sec-fetch-dest': destination, 'sec-fetch-site': site };
        return visit({ headers, ...(ip === undefined ? {} : { ip }) });
      };
      expect(await countAllowed(guard, 1, () => visit())).toBe(1);
      expect(await countAllowed(guard, 20, () => frame('same-origin'))).toBe(20);
      // The frames were documents, so they have used up the free pages.
      expect((await decisions(guard, 1, () => visit())).at(-1)).toBe('redirect');
      expect(await countAllowed(guard, 40, () => frame('same-origin'))).toBe(30);
      // Frames on pages of other sites are counted as pages. Frames at an address that loaded no page are counted as
      // pages too.
      expect(await countAllowed(guard, 9, () => frame('cross-site', '84.115.21.7'))).toBe(5);
      expect(await countAllowed(guard, 9, () => frame('same-origin', '84.115.22.7'))).toBe(5);
    },
  );

  test('a new session for each page gives no more pages', async () => {
    const guard = detectingValidator();
    const cookies: string[] = [];
    for (let index = 0; index < 5; index++) {
      cookies.push(await newSession(guard));
    }
    expect(await countAllowed(guard, 5, (index) => visit({ cookie: cookies[index] ?? '' }))).toBe(
      0,
    );
  });

  test('each address has its own pages until all pages of the client shape are used up', async () => {
    const guard = detectingValidator();
    expect(await countAllowed(guard, 120, (index) => visit({ ip: `84.115.${index}.7` }))).toBe(100);
    expect((await guard.ask(visit({ ip: '84.115.200.7', headers: firefoxHttps }))).decision).toBe(
      'allow',
    );
  });

  test('an IPv6 /48 has only 16 times as many free pages as a /64', async () => {
    const guard = detectingValidator({ challenge: { free_pages: { pages: 1, per: '10m' } } });
    expect(
      await countAllowed(guard, 20, (index) =>
        visit({ ip: `2a02:1748:1:${index.toString(16)}00::1` }),
      ),
    ).toBe(16);
  });

  test.each([
    ['/x.png?curid=1', 50],
    // The preset allows 50. After that these requests take the free pages.
    ['/robots.txt?curid=1', 55],
  ])('a /48 has 16 times as many documents at %s as a /64', async (path, expected) => {
    const guard = detectingValidator({ challenge: { pressure: false }, presets: ['well-known'] });
    guard.origin.answers = 'document';
    const url = `https://shop.example${path}`;
    const countFree = (count: number, network: (index: number) => string) =>
      countForwarded(guard, count, (index) =>
        visit({ url, headers: scriptFetch, ip: `2a02:1748:${network(index)}::1` }),
      );
    // One /64 that sends too many requests uses up only its own budget in the networks around it.
    expect(await countFree(900, () => '1:ffff')).toBe(expected);
    const freeCount = await countFree(2_000, (index) => `1:${index.toString(16)}`);
    expect([freeCount > 600, freeCount <= 751]).toEqual([true, true]);
    expect(await countFree(9, () => '2:1')).toBe(8);
  });

  test('in a /48, 16 times as many requests for data can wait as in a /64', async () => {
    const guard = detectingValidator({
      challenge: { free_pages: { pages: 1, per: '10m' }, pressure: false },
    });
    const from = (network: string, headers = scriptFetch) =>
      visit({ headers, ip: `${network}::1` });
    const networks = Array.from(
      { length: 16 },
      (_, index) => `2a02:1748:1:${index.toString(16)}00`,
    );
    await decisions(guard, 16, (index) => from(networks[index] ?? '', chromeHttps));
    guard.origin.answers = 'never';
    const data = (index: number) => from(networks[index % 16] ?? '');
    expect(await countAllowed(guard, 330, data)).toBe(320);
  });

  test('pages of a session that passed are not counted', async () => {
    const guard = detectingValidator();
    const cookie = await newSession(guard);
    guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), MINUTE_MS);
    expect(await countAllowed(guard, 20, () => visit({ cookie }))).toBe(20);
  });

  test('challenge: auto counts pages even without detection, and challenge: never and free_pages: false count no pages', async () => {
    const rules = (directives: string) => `[{ name: everybody, match: {}, ${directives} }]`;
    const auto = detectingValidator({}, rules('challenge: auto'));
    expect((await decisions(auto, 6, () => visit())).at(-1)).toBe('redirect');
    for (const guard of [
      detectingValidator({}, rules('detect: true, challenge: never')),
      detectingValidator({}, rules('verdict: allow, detect: true')),
      detectingValidator({ challenge: { free_pages: false } }),
    ]) {
      expect(await countAllowed(guard, 20, () => visit())).toBe(20);
    }
  });

  test('contract 1: monitor mode still enforces the challenge', async () => {
    const guard = detectingValidator({ monitor: true });
    expect((await decisions(guard, 6, () => visit())).at(-1)).toBe('redirect');
  });

  test('in monitor mode a visitor who would be blocked has only the usual free pages', async () => {
    const guard = detectingValidator({ monitor: true });
    const headers = { ...firefoxHttps, 'user-agent': 'Mozilla/5.0 HeadlessChrome/156.0.0.0' };
    expect(await countAllowed(guard, 7, () => visit({ headers }))).toBe(5);
    expect(guard.events[0]).toMatchObject({ action: 'allow', decision: 'block' });
    expect(guard.events.at(-1)?.blockReasons).toContain('headless_user_agent');
    expect(guard.events.at(-1)?.blockReasons).toContain('free_pages_used');
  });

  test('where Guard does not see the answers, 1,000 requests for data in ten minutes are free, and files stay free', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    guard.caller.seesAnswers = false;
    await guard.ask(visit());
    const data = () => visit({ headers: scriptFetch });
    expect(await countAllowed(guard, 1000, data)).toBe(1000);
    expect((await decisions(guard, 2, data)).at(-1)).toBe('redirect');
    const file = () => visit({ url: 'https://shop.example/x.png', headers: pictureOfPage });
    expect(await countAllowed(guard, 20, file)).toBe(20);
    guard.time.now += 10 * MINUTE_MS;
    expect(await countAllowed(guard, 20, data)).toBe(20);
  });

  test.each([
    ['preflights', { method: 'OPTIONS', headers: scriptFetch }],
    ['files with a parameter', { url: 'https://shop.example/x.png?id=1', headers: pictureOfPage }],
    ['files after a semicolon', { url: 'https://shop.example/p;x.png', headers: pictureOfPage }],
    ['files after %3b', { url: 'https://shop.example/p%3b.png', headers: pictureOfPage }],
    ['files of a preset', { url: 'https://shop.example/robots.txt?id=1', headers: curl }],
  ])(
    'where Guard does not see the answers, an address has 2,000 %s for each free page',
    async (_, changes) => {
      const guard = detectingValidator({
        challenge: { free_pages: { pages: 1, per: '10m' } },
        presets: ['well-known'],
      });
      guard.caller.seesAnswers = false;
      expect(await countAllowed(guard, 2010, () => visit(changes))).toBe(2000);
      // These requests use up no budget of other addresses, and no budget of files without a parameter.
      expect(await countAllowed(guard, 20, () => visit({ ...changes, ip: '203.0.113.10' }))).toBe(
        20,
      );
      const file = () => visit({ url: 'https://shop.example/x.png', headers: pictureOfPage });
      expect(await countAllowed(guard, 20, file)).toBe(20);
      guard.time.now += 10 * MINUTE_MS;
      guard.caller.seesAnswers = true;
      expect(await countAllowed(guard, 2010, () => visit(changes))).toBe(2010);
    },
  );
});
