import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import {
  countAllowed,
  decisions,
  detectingValidator,
  newSession,
} from '../../../../test/kit/product/decisions.ts';
import type { TestValidator } from '../../../../test/kit/product/validator.ts';
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
/** The header fields that a browser adds for a WebSocket (RFC 6455 4.1). */
const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
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

describe('requests for data and for parts of a page', () => {
  test('are free for a network that loaded a page, and for a session that Guard issued', async () => {
    const guard = detectingValidator();
    const { cookies } = await guard.ask(visit());
    expect(await countAllowed(guard, 30, () => visit({ headers: scriptFetch }))).toBe(30);
    const cookie = cookies?.[0]?.value ?? '';
    const elsewhere = () => visit({ headers: scriptFetch, cookie, ip: '90.146.1.1' });
    expect(await countAllowed(guard, 30, elsewhere)).toBe(30);
  });

  test('count like pages when no page was loaded; a refused one gets a JSON problem', async () => {
    const guard = detectingValidator();
    expect(await countAllowed(guard, 6, () => visit({ headers: scriptFetch }))).toBe(5);
    const { headers } = await guard.ask(visit({ headers: scriptFetch }));
    expect(headers?.['Content-Type']).toContain('application/problem+json');
  });

  test('for a file count when the answer is data, because an application can return data at any path', async () => {
    const guard = detectingValidator();
    guard.origin.answers = 'data';
    const url = 'https://shop.example/x.png?format=json';
    expect(await countAllowed(guard, 53, () => visit({ url, headers: pictureOfPage }))).toBe(51);
    // A browser fetches a manifest without a cookie, and source maps while its developer tools are open.
    const neighbour = (path: string) => () =>
      visit({ url: `https://shop.example${path}`, headers: pictureOfPage, ip: '84.115.99.8' });
    await decisions(guard, 60, neighbour('/site.webmanifest'));
    await decisions(guard, 60, neighbour('/app.js.map'));
    guard.origin.answers = 'other';
    expect(await countAllowed(guard, 20, neighbour('/logo.png'))).toBe(20);
    guard.origin.answers = 'data';
    // Some servers describe a resource in their answer to a preflight.
    const preflight = () => visit({ method: 'OPTIONS', headers: scriptFetch, ip: '84.115.99.7' });
    expect(await countAllowed(guard, 60, preflight)).toBe(60);
  });

  test('when an address has used up its files, its next page is challenged, so that no page is shown without its files', async () => {
    const guard = detectingValidator();
    guard.origin.answers = 'document';
    const file = () => visit({ url: 'https://shop.example/x.png?curid=1', headers: pictureOfPage });
    expect((await decisions(guard, 60, file)).at(-1)).toBe('redirect');
    guard.time.now += 9 * MINUTE_MS;
    expect(await countAllowed(guard, 1, () => visit())).toBe(0);
  });

  test('HTML at the path of a source map counts as a page of the client shape', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const url = 'https://shop.example/x.js.map?curid=1';
    const map = (index: number) =>
      visit({ url, headers: pictureOfPage, ip: `84.116.${index % 40}.7` });
    expect(await documents(guard, 40 * 50, map)).toBeLessThan(750 + 40 * 9);
  });

  test('for a file of a page and preflights are free for all visitors', async () => {
    const guard = detectingValidator();
    const image = () => visit({ url: 'https://shop.example/logo.PNG?v=2', headers: pictureOfPage });
    expect(await countAllowed(guard, 20, image)).toBe(20);
    const preflight = () => visit({ method: 'OPTIONS', headers: scriptFetch });
    expect(await countAllowed(guard, 20, preflight)).toBe(20);
  });

  test('over http, where browsers send no fetch metadata, Accept decides between page and data', async () => {
    const guard = detectingValidator();
    const url = 'http://shop.example/';
    await guard.ask(visit({ url, headers: chromeHttp }));
    const data = { ...chromeHttp, accept: 'application/json' };
    expect(await countAllowed(guard, 20, () => visit({ url, headers: data }))).toBe(20);
    expect(await countAllowed(guard, 5, () => visit({ url, headers: chromeHttp }))).toBe(4);
  });

  test('over http a script, a fetch and a WebSocket are data: their Accept is `*/*` or missing', async () => {
    const url = 'http://shop.example/lib/exe/js.php';
    const bare = Object.fromEntries(
      Object.entries(chromeHttp).filter(([name]) => !/^(accept|upgrade-insecure.*)$/.test(name)),
    );
    const script = { ...bare, accept: '*/*' };
    const socket = { ...bare, ...HANDSHAKE };
    for (const headers of [script, socket]) {
      const guard = detectingValidator();
      await guard.ask(visit({ url, headers: chromeHttp }));
      expect(await countAllowed(guard, 20, () => visit({ url, headers }))).toBe(20);
      const strange = () => visit({ url, headers, ip: '90.146.1.1' });
      expect(await countAllowed(guard, 6, strange)).toBe(5);
    }
  });

  test('a WebSocket over https is data too: Chromium sends no fetch metadata with it', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const socket = Object.fromEntries(
      Object.entries({ ...chromeHttps, ...HANDSHAKE }).filter(
        ([name]) => !/^(sec-fetch-|sec-ch-ua|accept$|upgrade-insecure)/.test(name),
      ),
    );
    expect(await countAllowed(guard, 20, () => visit({ headers: socket }))).toBe(20);
  });

  test('requests for data get 50 documents in ten minutes, then none until the ten minutes are over', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    guard.origin.answers = 'document';
    const data = () => visit({ headers: scriptFetch });
    expect(await countAllowed(guard, 60, data)).toBe(51);
    guard.time.now += 9 * MINUTE_MS;
    expect(await countAllowed(guard, 1, data)).toBe(0);
    // A preflight has no cookie, and a page of another site can ask for a picture.
    const preflight = () => visit({ method: 'OPTIONS', headers: scriptFetch });
    const picture = () => visit({ url: 'https://shop.example/a.png', headers: pictureOfPage });
    expect(await countAllowed(guard, 1, preflight)).toBe(1);
    expect(await countAllowed(guard, 1, picture)).toBe(1);
    guard.time.now += MINUTE_MS + 1;
    expect(await countAllowed(guard, 1, data)).toBe(1);
  });

  test('a foreign page that requests pages of the site as pictures takes nothing from pages open at the address', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const foreign = { ...pictureOfPage, 'sec-fetch-site': 'cross-site' };
    expect(await documents(guard, 60, () => visit({ headers: foreign }))).toBe(51);
    const own = [scriptFetch, pictureOfPage].map((headers) => () => visit({ headers }));
    for (const request of own) {
      expect(await countAllowed(guard, 10, request)).toBe(10);
    }
    expect(await countAllowed(guard, 4, () => visit())).toBe(4);
  });

  /** How many of these requests get a document. */
  async function documents(
    guard: TestValidator,
    count: number,
    requestOf: (index: number) => ValidateRequest,
  ): Promise<number> {
    guard.origin.answers = 'document';
    const found = await decisions(guard, count, requestOf);
    guard.origin.answers = 'other';
    return found.filter((decision) => decision === 'allow').length;
  }

  test('pictures of a foreign page at many addresses take no documents from other pages', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const foreign = { ...pictureOfPage, 'sec-fetch-site': 'cross-site' };
    const url = 'https://shop.example/x.png';
    const picture = (index: number) =>
      visit({ url, headers: foreign, ip: `84.116.${index % 40}.7` });
    expect(await documents(guard, 40 * 50, picture)).toBeLessThan(750 + 40 * 9);
    await guard.ask(visit());
    expect(await documents(guard, 60, () => visit({ headers: scriptFetch }))).toBe(51);
  });

  test('documents requested as data and as files share one budget of the address', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const data = () => visit({ headers: scriptFetch });
    const file = () => visit({ url: 'https://shop.example/list/x.css', headers: scriptFetch });
    expect(await documents(guard, 60, data)).toBe(51);
    // Files stay free until the first answer is a document.
    expect(await countAllowed(guard, 20, file)).toBe(20);
    expect(await documents(guard, 60, file)).toBe(1);
    expect(await countAllowed(guard, 1, file)).toBe(0);
  });

  test('one session makes data free in four networks at most', async () => {
    const guard = detectingValidator();
    const cookie = await newSession(guard);
    const from = (index: number) =>
      visit({ headers: scriptFetch, cookie, ip: `90.${146 + (index >> 8)}.${index & 255}.1` });
    // In other networks the requests count as pages. All clients of the shape together have 100 pages.
    expect(await documents(guard, 10 * 300, (index) => from(index % 300))).toBeLessThan(150);
    expect(await countAllowed(guard, 300, () => from(200))).toBe(0);
    expect(await countAllowed(guard, 300, () => visit({ headers: scriptFetch, cookie }))).toBe(300);
  });

  test('a session from a challenge page makes no data free before it loads a page', async () => {
    const guard = detectingValidator();
    await decisions(guard, 5, () => visit());
    const challenged = await guard.ask(visit());
    const cookie = challenged.cookies?.[0]?.value ?? '';
    const elsewhere = () => visit({ headers: scriptFetch, cookie, ip: '90.146.1.1' });
    expect(challenged.decision).toBe('redirect');
    expect(await countAllowed(guard, 6, elsewhere)).toBe(5);
    // After an hour Guard no longer knows whether the session passed, so its page may be open.
    guard.time.now += 61 * MINUTE_MS;
    expect(await countAllowed(guard, 30, elsewhere)).toBe(30);
  });

  test('an open page keeps its data where it was loaded, although the address is challenged again', async () => {
    const guard = detectingValidator();
    const { cookies } = await guard.ask(visit());
    await decisions(guard, 9, () => visit({ cookie: cookies?.[0]?.value ?? '' }));
    const challenged = await newSession(guard);
    const open = () => visit({ headers: scriptFetch, cookie: challenged });
    expect(await countAllowed(guard, 30, open)).toBe(30);
  });

  test('a page of a visitor who passed makes data without a cookie free in four networks, for example from another host', async () => {
    const guard = detectingValidator();
    // Use up all free pages of this client shape.
    await decisions(guard, 200, (index) => visit({ ip: `90.${index}.1.1` }));
    const { cookies, decision } = await guard.ask(visit());
    const cookie = cookies?.[0]?.value ?? '';
    expect(decision).toBe('redirect');
    guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), MINUTE_MS);
    for (let network = 1; network <= 5; network++) {
      const ip = `84.115.${network}.7`;
      await decisions(guard, 3, () => visit({ cookie, ip }));
      const data = () => visit({ headers: scriptFetch, ip });
      expect(await countAllowed(guard, 30, data)).toBe(network <= 4 ? 30 : 0);
    }
  });

  test('a page loaded with a short pass keeps its data after the pass has ended', async () => {
    const guard = detectingValidator();
    await decisions(guard, 5, () => visit({ ip: '90.146.1.1' }));
    const cookie = await newSession(guard, visit({ ip: '90.146.1.1' }));
    const pass = { judgedAt: guard.time.now, reasons: ['graphics_mismatch'] };
    guard.store.keepSession(cookie, verifiedSession(pass), 10 * MINUTE_MS);
    const at = { cookie, ip: '84.115.99.7' };
    expect(await countAllowed(guard, 1, () => visit(at))).toBe(1);
    guard.time.now += 11 * MINUTE_MS;
    const data = () => visit({ ...at, headers: scriptFetch });
    expect(await countAllowed(guard, 30, data)).toBe(30);
  });

  test('when an address has used up its documents, its next page is challenged', async () => {
    const guard = detectingValidator();
    const cookie = await newSession(guard);
    const data = () => visit({ headers: scriptFetch, cookie });
    expect(await documents(guard, 60, data)).toBe(51);
    expect(await countAllowed(guard, 1, () => visit({ cookie }))).toBe(0);
    guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), MINUTE_MS);
    expect(await documents(guard, 60, data)).toBe(60);
  });

  test('when a client shape has used up its documents, each address gets few from then on', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const ipOf = (index: number) => `84.116.${index}.7`;
    for (let index = 0; index < 200; index++) await guard.ask(visit({ ip: ipOf(index) }));
    const data = (index: number) => visit({ headers: scriptFetch, ip: ipOf(index % 200) });
    // The first 100 addresses had a page. Each gets its 9 documents, and the shape gets 750.
    expect(await documents(guard, 4_000, data)).toBeLessThanOrEqual(1_000);
  });

  test('all clients of one shape get 750 documents as data; then each address gets 8, and JSON stays free', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const ipOf = (index: number) => `84.116.${index}.7`;
    const cookies: string[] = [];
    for (let index = 0; index < 60; index++) {
      cookies.push(await newSession(guard, visit({ ip: ipOf(index) })));
    }
    const data = (index: number) =>
      visit({ headers: scriptFetch, ip: ipOf(index), cookie: cookies[index] ?? '' });
    // Without the limit of the shape, the 60 addresses would get 60 × 51 = 3,060 documents.
    expect(await documents(guard, 60 * 60, (index) => data(Math.floor(index / 60)))).toBeLessThan(
      750 + 60 * 9,
    );
    const other = { headers: firefoxFetch, ip: ipOf(200) };
    await guard.ask(visit({ headers: firefoxHttps, ip: ipOf(200) }));
    expect(await documents(guard, 40, () => visit(other))).toBe(40);
    guard.time.now += 10 * MINUTE_MS + 1;
    expect(await countAllowed(guard, 500, () => data(3))).toBe(500);
    expect(await documents(guard, 30, () => data(3))).toBe(30);
  });

  test('hundreds of JSON answers for one page stay free when its shape has used up its documents', async () => {
    const guard = detectingValidator({ challenge: { pressure: false } });
    const ipOf = (index: number) => `84.116.${index}.7`;
    for (let index = 0; index < 30; index++) {
      await guard.ask(visit({ ip: ipOf(index) }));
      await documents(guard, 60, () => visit({ headers: scriptFetch, ip: ipOf(index) }));
    }
    guard.time.now += 2 * MINUTE_MS;
    await guard.ask(visit({ ip: ipOf(99) }));
    guard.origin.answers = 'data';
    const json = () => visit({ headers: scriptFetch, ip: ipOf(99) });
    expect(await countAllowed(guard, 500, json)).toBe(500);
    // The address gets few documents, because its shape has used them up.
    expect(await documents(guard, 30, json)).toBe(9);
  });
});
