import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import {
  countAllowed,
  countForwarded,
  DETECT,
  detectingValidator,
  newSession,
} from '../../../../test/kit/product/decisions.ts';
import { type TestValidator, validatorWith } from '../../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../../test/kit/visitors/verified-session.ts';
import {
  chromeHttp,
  chromeHttps,
  firefoxHttps,
  pictureOfPage,
  scriptFetch,
  visit,
} from '../../../../test/kit/visitors/visitors.ts';

const MINUTE_MS = 60_000;
/** The headers of a fetch that a script of the page makes in Firefox. */
const firefoxFetch = Object.fromEntries(
  Object.entries({
    ...firefoxHttps,
    accept: '*/*',
    'sec-fetch-mode': 'cors',
    'sec-fetch-dest': 'empty',
    'sec-fetch-site': 'same-origin',
  }).filter(([name]) => name !== 'sec-fetch-user'),
);

/** How many of these requests get a document. */
async function countDocuments(
  guard: TestValidator,
  count: number,
  requestOf: (index: number) => ValidateRequest,
): Promise<number> {
  guard.origin.answers = 'document';
  const documents = await countForwarded(guard, count, requestOf);
  guard.origin.answers = 'other';
  return documents;
}

describe('documents in answer to requests for data and for parts of a page', () => {
  test('HTML at the path of a source map is counted as a document of the client shape', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const url = 'https://shop.example/x.js.map?curid=1';
    const map = (index: number) =>
      visit({ url, headers: pictureOfPage, ip: `84.116.${index % 40}.7` });
    expect(await countDocuments(guard, 40 * 50, map)).toBeLessThan(750 + 40 * 9);
  });

  test('a challenge in place of an answer is counted as a second decision', async () => {
    const actions: (string | undefined)[] = [];
    const metrics = {
      count: (name: string, action?: string) =>
        name === 'guard_decisions_total' && actions.push(action),
      gauge: () => undefined,
    };
    const guard = validatorWith(DETECT, { metrics });
    await guard.ask(visit());
    expect(await countDocuments(guard, 51, () => visit({ headers: scriptFetch }))).toBe(50);
    expect(actions.slice(-3)).toEqual(['allow', 'allow', 'challenge']);
  });

  test('requests for data get 50 documents, and then none until ten minutes are over', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    guard.origin.answers = 'document';
    const data = () => visit({ headers: scriptFetch });
    expect(await countAllowed(guard, 60, data)).toBe(50);
    guard.time.now += 9 * MINUTE_MS;
    expect(await countAllowed(guard, 1, data)).toBe(0);
    guard.time.now += 10 * MINUTE_MS + 1;
    expect(await countAllowed(guard, 1, data)).toBe(1);
  });

  test('an address without documents still gets JSON, files and answers to preflights', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const data = () => visit({ headers: scriptFetch });
    expect(await countDocuments(guard, 60, data)).toBe(50);
    guard.origin.answers = 'data';
    expect(await countAllowed(guard, 200, data)).toBe(200);
    const preflight = () => visit({ method: 'OPTIONS', headers: scriptFetch });
    expect(await countAllowed(guard, 20, preflight)).toBe(20);
    guard.origin.answers = 'other';
    const picture = () => visit({ url: 'https://shop.example/a.png', headers: pictureOfPage });
    expect(await countAllowed(guard, 20, picture)).toBe(20);
  });

  test('an address that goes on asking for documents gets 50 refused answers of the origin, and then no answer of the origin', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const data = () => visit({ headers: scriptFetch });
    await countDocuments(guard, 50 + 50, data);
    guard.origin.answers = 'data';
    expect(await countAllowed(guard, 1, data)).toBe(1);
    await countDocuments(guard, 1, data);
    guard.origin.answers = 'data';
    expect(await countAllowed(guard, 1, data)).toBe(0);
  });

  test('a document that is held back is recorded as a challenge with the id of its request', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    await countDocuments(guard, 51, () => visit({ headers: scriptFetch }));
    expect(guard.events.at(-1)).toMatchObject({
      action: 'challenge',
      decision: 'challenge',
      statusCode: 403,
      blockReasons: ['free_pages_used'],
      rule: 'everybody',
    });
  });

  test('a page of another site gets 50 documents, but only 8 that it may not read', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const foreign = () => visit({ headers: { ...scriptFetch, 'sec-fetch-site': 'cross-site' } });
    expect(await countDocuments(guard, 20, foreign)).toBe(8);
    guard.origin.isShared = true;
    // The first 8 are a part of the 50.
    expect(await countDocuments(guard, 60, foreign)).toBeGreaterThanOrEqual(42);
  });

  test('a page of another site gets 8 documents by POST too, and a POST to the path of a map has no documents of its own', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const headers = { ...scriptFetch, 'sec-fetch-site': 'cross-site' };
    expect(await countDocuments(guard, 20, () => visit({ method: 'POST', headers }))).toBe(8);
    const url = 'https://shop.example/x.map';
    const map = () => visit({ method: 'POST', url, headers: scriptFetch });
    expect(await countDocuments(guard, 60, map)).toBe(50);
    expect(await countDocuments(guard, 10, () => visit({ headers: scriptFetch }))).toBe(0);
  });

  test('WebSocket handshakes of a page of another site use up no free page and no document of this site', async () => {
    const guard = detectingValidator();
    // Chromium sends no Accept, no client hints and no fetch metadata with a handshake.
    const chrome = Object.entries(chromeHttps).filter(
      ([name]) => !/^(sec-fetch-|sec-ch-ua|accept$|upgrade-insecure)/.test(name),
    );
    const handshake = (origin: string) => {
      const fields = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      return visit({ headers: { ...Object.fromEntries(chrome), ...fields, origin } });
    };
    expect(await countDocuments(guard, 70, () => handshake('https://evil.example'))).toBe(5);
    expect(await countAllowed(guard, 5, () => visit())).toBe(5);
    await guard.ask(visit({ ip: '84.115.99.7' }));
    const own = { ...handshake('https://shop.example'), ip: '84.115.99.7' };
    expect(await countDocuments(guard, 60, () => own)).toBe(50);
  });

  test.each(['/site.webmanifest', '/app.js.map'])(
    'HTML in place of %s uses up no document of a page, and an address gets 8',
    async (path) => {
      const guard = detectingValidator();
      await guard.ask(visit());
      const file = () => visit({ url: `https://shop.example${path}`, headers: pictureOfPage });
      expect(await countDocuments(guard, 60, file)).toBe(8);
      expect(await countDocuments(guard, 60, () => visit({ headers: scriptFetch }))).toBe(50);
    },
  );

  test.each([
    ['document', 'over https', 'https', pictureOfPage],
    ['data', 'over https', 'https', pictureOfPage],
    ['document', 'over http', 'http', { ...chromeHttp, accept: 'image/avif,image/*,*/*;q=0.8' }],
  ] as const)(
    'a %s in place of 200 missing pictures %s uses up no document of a page, and an address gets 8',
    async (answers, _how, scheme, headers) => {
      const guard = detectingValidator();
      await guard.ask(visit());
      guard.origin.answers = answers;
      const picture = (index: number) =>
        visit({ url: `${scheme}://shop.example/${index}.jpg`, headers });
      expect(await countAllowed(guard, 200, picture)).toBe(8);
      guard.origin.answers = 'data';
      for (const method of ['GET', 'POST']) {
        const data = () => visit({ method, headers: scriptFetch });
        expect(await countAllowed(guard, 20, data)).toBe(20);
      }
      // The first 8 are a part of the 50.
      const data = () => visit({ headers: scriptFetch });
      expect(await countDocuments(guard, 60, data)).toBeGreaterThanOrEqual(42);
    },
  );

  test('files that are held back do not keep data from the origin', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const file = () => visit({ url: 'https://shop.example/x.js', headers: scriptFetch });
    expect(await countDocuments(guard, 200, file)).toBe(50);
    guard.origin.answers = 'data';
    expect(await countAllowed(guard, 20, () => visit({ headers: scriptFetch }))).toBe(20);
  });

  test('a foreign page that requests pages of the site as pictures uses up no budget of pages that are open at the address', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const foreignPicture = { ...pictureOfPage, 'sec-fetch-site': 'cross-site' };
    expect(await countDocuments(guard, 60, () => visit({ headers: foreignPicture }))).toBe(8);
    const ownRequests = [scriptFetch, pictureOfPage].map((headers) => () => visit({ headers }));
    for (const request of ownRequests) {
      expect(await countAllowed(guard, 10, request)).toBe(10);
    }
    expect(await countAllowed(guard, 4, () => visit())).toBe(4);
  });

  test('pictures of a foreign page at many addresses use up no documents of other pages', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const foreignPicture = { ...pictureOfPage, 'sec-fetch-site': 'cross-site' };
    const url = 'https://shop.example/x.png';
    const picture = (index: number) =>
      visit({ url, headers: foreignPicture, ip: `84.116.${index % 40}.7` });
    expect(await countDocuments(guard, 40 * 50, picture)).toBeLessThan(750 + 40 * 9);
    await guard.ask(visit());
    expect(await countDocuments(guard, 60, () => visit({ headers: scriptFetch }))).toBe(50);
  });

  test('documents in answer to requests for data and for files share one budget of the address', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const data = () => visit({ headers: scriptFetch });
    const file = () => visit({ url: 'https://shop.example/list/x.css', headers: scriptFetch });
    expect(await countDocuments(guard, 60, data)).toBe(50);
    expect(await countAllowed(guard, 20, file)).toBe(20);
    expect(await countDocuments(guard, 60, file)).toBe(0);
  });

  test('one session makes data free in at most four networks', async () => {
    const guard = detectingValidator();
    const cookie = await newSession(guard);
    const from = (index: number) =>
      visit({ headers: scriptFetch, cookie, ip: `90.${146 + (index >> 8)}.${index & 255}.1` });
    // In other networks the requests are counted as pages. All clients of the shape together have 100 pages.
    expect(await countDocuments(guard, 10 * 300, (index) => from(index % 300))).toBeLessThan(150);
    expect(await countAllowed(guard, 300, () => from(200))).toBe(0);
    expect(await countAllowed(guard, 300, () => visit({ headers: scriptFetch, cookie }))).toBe(300);
  });

  test('when an address has used up its documents, its next page is challenged', async () => {
    const guard = detectingValidator();
    const cookie = await newSession(guard);
    const data = () => visit({ headers: scriptFetch, cookie });
    expect(await countDocuments(guard, 60, data)).toBe(50);
    expect(await countAllowed(guard, 1, () => visit({ cookie }))).toBe(0);
    guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), MINUTE_MS);
    expect(await countDocuments(guard, 60, data)).toBe(60);
  });

  test('when a client shape has used up its documents, each address gets only a few more', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const ipOf = (index: number) => `84.116.${index}.7`;
    for (let index = 0; index < 200; index++) await guard.ask(visit({ ip: ipOf(index) }));
    const data = (index: number) => visit({ headers: scriptFetch, ip: ipOf(index % 200) });
    // The first 100 addresses had a page. Each of them gets 9 documents, and the whole shape gets 750.
    expect(await countDocuments(guard, 4_000, data)).toBeLessThanOrEqual(1_000);
  });

  test('all clients of one shape get 750 documents, and then each address gets 8, and JSON stays free', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const ipOf = (index: number) => `84.116.${index}.7`;
    const cookies: string[] = [];
    for (let index = 0; index < 60; index++) {
      cookies.push(await newSession(guard, visit({ ip: ipOf(index) })));
    }
    const data = (index: number) =>
      visit({ headers: scriptFetch, ip: ipOf(index), cookie: cookies[index] ?? '' });
    // Without the limit of the shape, the 60 addresses would get 60 × 51 = 3,060 documents.
    expect(
      await countDocuments(guard, 60 * 60, (index) => data(Math.floor(index / 60))),
    ).toBeLessThan(750 + 60 * 9);
    const firefoxVisitor = { headers: firefoxFetch, ip: ipOf(200) };
    await guard.ask(visit({ headers: firefoxHttps, ip: ipOf(200) }));
    expect(await countDocuments(guard, 40, () => visit(firefoxVisitor))).toBe(40);
    guard.time.now += 10 * MINUTE_MS + 1;
    expect(await countAllowed(guard, 500, () => data(3))).toBe(500);
    expect(await countDocuments(guard, 30, () => data(3))).toBe(30);
  });

  test('hundreds of JSON answers for one page stay free even when the shape has used up its documents', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const ipOf = (index: number) => `84.116.${index}.7`;
    for (let index = 0; index < 30; index++) {
      await guard.ask(visit({ ip: ipOf(index) }));
      await countDocuments(guard, 60, () => visit({ headers: scriptFetch, ip: ipOf(index) }));
    }
    guard.time.now += 2 * MINUTE_MS;
    await guard.ask(visit({ ip: ipOf(99) }));
    guard.origin.answers = 'data';
    const json = () => visit({ headers: scriptFetch, ip: ipOf(99) });
    expect(await countAllowed(guard, 500, json)).toBe(500);
    // The address gets few documents, because its shape has used up the documents.
    expect(await countDocuments(guard, 30, json)).toBe(8);
  });

  // A /48 has 65,536 networks, and the store keeps 262,144 counters.
  test.each([
    ['HTML at the path of a file', 'document', 'x.png', pictureOfPage],
    [
      'HTML of another site',
      'document',
      'x.png',
      { ...pictureOfPage, 'sec-fetch-site': 'cross-site' },
    ],
    ['HTML as a picture', 'document', 'media/7', pictureOfPage],
    ['a picture', 'other', 'media/7', pictureOfPage],
  ] as const)(
    'in a /48 that has used up its documents, the networks add no counters: %s',
    async (_name, answers, path, headers) => {
      const guard = detectingValidator({ challenge: { pressure: false } });
      guard.origin.answers = answers;
      const from = (index: number) =>
        visit({ url: `https://shop.example/${path}`, ip: `2001:db8:7:${index}::1`, headers });
      await countForwarded(guard, 900, from);
      const { counterCount } = guard.store;
      await countForwarded(guard, 100, (index) => from(1_000 + index));
      expect(guard.store.counterCount).toBe(counterCount);
    },
  );
});
