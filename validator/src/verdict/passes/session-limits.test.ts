import { describe, expect, test } from 'vitest';
import { countForwarded } from '../../../../test/kit/product/decisions.ts';
import { organisationWith } from '../../../../test/kit/product/policies.ts';
import { type TestValidator, validatorWith } from '../../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../../test/kit/visitors/verified-session.ts';
import {
  chromeHttps,
  pictureOfPage,
  scriptFetch,
  visit,
} from '../../../../test/kit/visitors/visitors.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const RULES = '[{ name: everybody, match: {}, detect: true, challenge: auto }]';
const MONITOR_RULES = RULES.replace('detect: true', 'detect: true, monitor: true');
const PASS = '0f8fad5b-d9cb-869f-8165-000000000001';

const pageOf = (cookie = PASS) => visit({ cookie });
const page = () => pageOf();
const data = () => visit({ cookie: PASS, headers: scriptFetch });

function createGuard(limits: object | false = {}, rules = RULES): TestValidator {
  const guard = validatorWith(rules, { organisation: { challenge: { session_limits: limits } } });
  guard.time.now += HOUR_MS;
  passChallenge(guard);
  return guard;
}

/** Makes the session pass its challenge now. */
function passChallenge({ store, time }: TestValidator, id = PASS): void {
  store.keepSession(id, verifiedSession({ judgedAt: time.now }), 24 * HOUR_MS);
}

describe('the limits of one passed challenge', () => {
  test('a pass allows 600 pages an hour, then there is a challenge, and a new pass allows as many pages again', async () => {
    const guard = createGuard({ requests_per_minute: 100_000 });
    expect(await countForwarded(guard, 700, page)).toBe(600);
    expect(guard.events.at(-1)).toMatchObject({
      action: 'challenge',
      blockReasons: ['session_limit_exceeded'],
      rule: 'everybody',
    });
    guard.time.now += 6 * SECOND_MS;
    expect(await countForwarded(guard, 2, page)).toBe(1);
    guard.time.now += SECOND_MS;
    passChallenge(guard);
    expect(await countForwarded(guard, 10, page)).toBe(10);
  });

  test('a pass allows 600 requests a minute, and above this limit data has to wait and a page is challenged', async () => {
    const guard = createGuard();
    expect(await countForwarded(guard, 700, data)).toBe(600);
    const limited = await guard.ask(data());
    expect(limited).toMatchObject({ status_code: 429, retry_after: 1 });
    expect(guard.events.at(-1)?.blockReasons).toEqual(['session_limit_exceeded']);
    expect((await guard.ask(page())).decision).toBe('redirect');
    guard.time.now += SECOND_MS;
    expect(await countForwarded(guard, 20, data)).toBe(10);
  });

  test('a pass allows 100 requests at once when the caller reports their ends', async () => {
    const guard = createGuard();
    guard.origin.answers = 'never';
    expect(await countForwarded(guard, 110, data)).toBe(100);
    expect((await guard.ask(page())).status_code).toBe(429);
    // When their ends are not reported, waiting requests are forgotten after a minute.
    guard.time.now += MINUTE_MS + 1;
    expect((await guard.ask(page())).status_code).toBe(200);
  });

  test('files are not counted as pages, even when an API caller sends few header fields', async () => {
    const guard = createGuard({ pages_per_hour: 5 });
    const headers = { 'user-agent': chromeHttps['user-agent'] ?? '' };
    const file = () => visit({ cookie: PASS, url: 'https://shop.example/a.js', headers });
    expect(await countForwarded(guard, 20, file)).toBe(20);
  });

  test('two organisations of one installation share no counter of an address', async () => {
    const organisation = { challenge: { session_limits: { pages_per_hour: 1 } } };
    const neighbour = organisationWith(RULES, { ...organisation, id: 'globex' });
    const { validator, store, time } = validatorWith(RULES, { organisation, neighbour });
    const passingAt = async (id: string, sessions: number) => {
      const validate = validator.forOrganisation(id);
      let allowedCount = 0;
      for (let i = 0; i < sessions; i++) {
        const cookie = `${id.length}${10 + i}${PASS.slice(3)}`;
        const session = verifiedSession({ organisation: id, judgedAt: time.now });
        store.keepSession(cookie, session, HOUR_MS);
        const outcome = await validate(pageOf(cookie), {});
        if (outcome.kind === 'answered' && outcome.response.decision === 'allow') allowedCount += 1;
      }
      return allowedCount;
    };
    expect(await passingAt('acme', 70)).toBe(60);
    expect(await passingAt('globex', 10)).toBe(10);
  });

  test('requests of a foreign page in the visitor’s browser use up no budget of the visitor', async () => {
    const guard = createGuard({ requests_per_minute: 10, at_once: 10 });
    guard.origin.answers = 'never';
    const headers = { ...scriptFetch, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    expect(await countForwarded(guard, 100, () => visit({ cookie: PASS, headers }))).toBe(10);
    expect(await countForwarded(guard, 10, data)).toBe(10);
  });

  test('data in answer to a request for data is not counted as a document', async () => {
    const guard = createGuard({ pages_per_hour: 10 });
    guard.origin.answers = 'data';
    expect(await countForwarded(guard, 200, data)).toBe(200);
  });

  test('the limit of requests a minute does not count parts of pages, for example the many pictures of a map', async () => {
    const guard = createGuard({ requests_per_minute: 5 });
    guard.origin.answers = 'never';
    const mapTile = () => visit({ cookie: PASS, headers: pictureOfPage });
    const style = () =>
      visit({ cookie: PASS, url: 'https://shop.example/a.css', headers: scriptFetch });
    expect(await countForwarded(guard, 300, mapTile)).toBe(300);
    guard.origin.answers = 'other';
    expect(await countForwarded(guard, 300, style)).toBe(300);
  });

  test.each([true, false])(
    'for each page of its budget, a pass allows 100 requests that claim to be pictures (Guard sees the answer: %s)',
    async (seesAnswers) => {
      const guard = createGuard({ pages_per_hour: 10 });
      guard.caller.seesAnswers = seesAnswers;
      const picture = () => visit({ cookie: PASS, headers: pictureOfPage });
      expect(await countForwarded(guard, 1100, picture)).toBe(1000);
      expect(await guard.ask(picture())).toMatchObject({ status_code: 429, retry_after: 4 });
      // A page still passes, and the requests of its scripts pass too.
      expect(await countForwarded(guard, 1, page)).toBe(1);
      expect(await countForwarded(guard, 1, data)).toBe(1);
    },
  );

  test.each([
    ['GET', '/x.js?rest_route=/wp/v2/posts&_jsonp=f'],
    ['GET', '/?rest_route=/wp/v2/posts&_jsonp=f'],
    // The route is in the request body.
    ['POST', '/x.js?_method=GET&_jsonp=f'],
    ['GET', '/wiki/x.css?curid=1&action=raw&ctype=text/css'],
  ])(
    'text that an application sends as a script or a style for %s %s is counted as data: 600 a minute',
    async (method, path) => {
      const url = `https://shop.example${path}`;
      const headers = { ...pictureOfPage, 'sec-fetch-dest': 'script' };
      const script = () => visit({ cookie: PASS, method, url, headers });
      expect(await countForwarded(createGuard(), 700, script)).toBe(600);
    },
  );

  test('requests for data and parts get ten documents for each page of the budget, and then they have to wait', async () => {
    for (const [headers, answers] of [
      [pictureOfPage, 'document'],
      [pictureOfPage, 'data'],
      [scriptFetch, 'document'],
    ] as const) {
      const guard = createGuard({ pages_per_hour: 10 });
      guard.origin.answers = answers;
      const requestWith = () => visit({ cookie: PASS, headers });
      expect(await countForwarded(guard, 150, requestWith)).toBe(101);
      expect((await guard.ask(requestWith())).status_code).toBe(429);
      expect((await guard.ask(page())).decision).toBe('redirect');
    }
  });

  test('an address gets at most 60 times the pages of one pass, with any number of passes', async () => {
    const guard = createGuard({ pages_per_hour: 2 });
    const ids = Array.from({ length: 70 }, (_, i) => String(10 + i) + PASS.slice(2));
    let allowedCount = 0;
    for (const id of ids) {
      passChallenge(guard, id);
      allowedCount += await countForwarded(guard, 2, () => pageOf(id));
    }
    expect(allowedCount).toBe(120);
    expect((await guard.ask(pageOf(ids.at(-1)))).decision).toBe('redirect');
    passChallenge(guard);
    expect((await guard.ask(page())).status_code).toBe(429);
  });

  test('pages in answer to requests for pictures are counted as pages of the address', async () => {
    const guard = createGuard({ pages_per_hour: 2 });
    guard.origin.answers = 'document';
    const ids = Array.from({ length: 20 }, (_, i) => String(10 + i) + PASS.slice(2));
    let allowedCount = 0;
    for (const id of ids) {
      passChallenge(guard, id);
      allowedCount += await countForwarded(guard, 30, () =>
        visit({ cookie: id, headers: pictureOfPage }),
      );
    }
    // The limit is 60 budgets of two pages. Each pass can get one page more, because its answer is counted only when it
    // has come.
    expect(allowedCount).toBeGreaterThan(100);
    expect(allowedCount).toBeLessThanOrEqual(120 + ids.length);
    expect((await guard.ask(pageOf(ids.at(-1)))).decision).toBe('redirect');
  });

  test('in monitor mode a rejected session has the limits of a short pass, and then it is challenged again', async () => {
    const guard = createGuard({ pages_per_hour: 100 }, MONITOR_RULES);
    const rejected = {
      ...verifiedSession({ judgedAt: guard.time.now }),
      state: 'rejected' as const,
    };
    guard.store.keepSession(PASS, { ...rejected, reasons: ['webdriver'] }, HOUR_MS);
    expect(await countForwarded(guard, 30, page)).toBe(10);
    expect(guard.events[0]).toMatchObject({ action: 'allow', decision: 'block' });
    expect(guard.events.at(-1)).toMatchObject({ action: 'challenge' });
    // The rejected session cannot get the site as data or pictures either, although monitor mode would lift a limit.
    guard.origin.answers = 'document';
    for (const headers of [scriptFetch, pictureOfPage]) {
      expect(await countForwarded(guard, 200, () => visit({ cookie: PASS, headers }))).toBeLessThan(
        102,
      );
    }
  });

  test('an address gets 20 times the pages of one pass, and then passes older than ten minutes are used up', async () => {
    const guard = createGuard({ pages_per_hour: 10 });
    const ids = Array.from({ length: 30 }, (_, i) => String(10 + i) + PASS.slice(2));
    for (const id of ids) passChallenge(guard, id);
    guard.time.now += 10 * MINUTE_MS + 1;
    let allowedCount = 0;
    for (const id of ids) allowedCount += await countForwarded(guard, 10, () => pageOf(id));
    expect(allowedCount).toBe(200);
    passChallenge(guard);
    expect(await countForwarded(guard, 5, page)).toBe(5);
  });

  test('a visitor has to pass again when the pass came from four networks of three systems within ten minutes', async () => {
    const guard = createGuard();
    const requestFrom = (ip: string) => () => visit({ cookie: PASS, ip });
    const phone = ['84.115.20.7', '178.113.40.7', '84.115.99.7', '178.113.41.9'];
    for (const ip of [...phone, ...phone])
      expect(await countForwarded(guard, 1, requestFrom(ip))).toBe(1);
    expect(await countForwarded(guard, 1, requestFrom('2a02:1748:1::1'))).toBe(0);
    const requestWith = (headers: typeof scriptFetch) => visit({ cookie: PASS, headers });
    for (const headers of [scriptFetch, pictureOfPage]) {
      expect((await guard.ask(requestWith(headers))).status_code).toBe(429);
    }
    await guard.ask(page());
    expect(guard.events.at(-1)?.blockReasons).toEqual(['session_limit_exceeded']);
    guard.time.now += SECOND_MS;
    passChallenge(guard);
    expect(await countForwarded(guard, 1, requestFrom('2a02:1748:1::1'))).toBe(1);
  });

  test('a traveller with a new network every few minutes is not challenged', async () => {
    const guard = createGuard();
    const homes = ['84.115.20.7', '178.113.40.7', '90.146.1.1', '80.109.4.4', '62.178.1.1'];
    for (const ip of [...homes, ...homes]) {
      guard.time.now += 4 * MINUTE_MS;
      expect(await countForwarded(guard, 2, () => visit({ cookie: PASS, ip })), ip).toBe(2);
    }
  });

  test('there are no limits with session_limits: false, with verdict: allow, or with challenge: never', async () => {
    for (const guard of [
      createGuard(false),
      createGuard({}, '[{ name: r, match: {}, verdict: allow }]'),
      createGuard({}, '[{ name: r, match: {}, detect: true, challenge: never }]'),
    ]) {
      expect(await countForwarded(guard, 700, page)).toBe(700);
    }
  });

  test('monitor mode records which requests would have to wait', async () => {
    const guard = createGuard(
      { requests_per_minute: 1 },
      '[{ name: r, match: {}, detect: true, monitor: true }]',
    );
    expect(await countForwarded(guard, 2, data)).toBe(2);
    expect(guard.events.at(-1)).toMatchObject({
      action: 'allow',
      monitor: true,
      rateLimited: true,
    });
  });
});
