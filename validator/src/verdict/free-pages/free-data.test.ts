import { describe, expect, test } from 'vitest';
import {
  countAllowed,
  decisions,
  detectingValidator,
  newSession,
} from '../../../../test/kit/product/decisions.ts';
import { verifiedSession } from '../../../../test/kit/visitors/verified-session.ts';
import {
  chromeHttp,
  chromeHttps,
  pictureOfPage,
  scriptFetch,
  visit,
} from '../../../../test/kit/visitors/visitors.ts';

const MINUTE_MS = 60_000;
/** The header fields that a browser adds for a WebSocket handshake (RFC 6455 4.1). */
const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

describe('requests for data and for parts of a page', () => {
  test('requests for data are free for a network that loaded a page, and for a session that Guard issued', async () => {
    const guard = detectingValidator();
    const { cookies } = await guard.ask(visit());
    expect(await countAllowed(guard, 30, () => visit({ headers: scriptFetch }))).toBe(30);
    const cookie = cookies?.[0]?.value ?? '';
    const dataFromElsewhere = () => visit({ headers: scriptFetch, cookie, ip: '90.146.1.1' });
    expect(await countAllowed(guard, 30, dataFromElsewhere)).toBe(30);
  });

  test('requests for data are counted as pages when no page was loaded, and a refused request gets a JSON problem', async () => {
    const guard = detectingValidator();
    expect(await countAllowed(guard, 6, () => visit({ headers: scriptFetch }))).toBe(5);
    const { headers } = await guard.ask(visit({ headers: scriptFetch }));
    expect(headers?.['Content-Type']).toContain('application/problem+json');
  });

  test.each(['https', 'http'])(
    'over %s htmx loads a link as a page when it has to pass, because it does nothing with a problem',
    async (scheme) => {
      const guard = detectingValidator({ challenge: { free_pages: { pages: 1, per: '10m' } } });
      // Over http, browsers send no fetch metadata.
      const fetchFields = scheme === 'http' ? { ...chromeHttp, accept: '*/*' } : scriptFetch;
      const redirectFor = async (path: string, fields = {}, method = 'GET') => {
        const headers = { ...fetchFields, 'hx-request': 'true', 'hx-boosted': 'true', ...fields };
        const url = `${scheme}://shop.example${path}`;
        const answer = await guard.ask(visit({ method, url, headers }));
        return [answer.decision, answer.headers?.['HX-Redirect']];
      };
      await redirectFor('/');
      expect(await redirectFor('/pens?page=2')).toEqual(['redirect', '/pens?page=2']);
      expect(await redirectFor('/pens', {}, 'POST')).toEqual(['redirect', undefined]);
      expect(await redirectFor('/pens', { 'hx-boosted': '' })).toEqual(['redirect', undefined]);
      for (const path of ['//evil.example/', '/\\evil.example/'])
        expect(await redirectFor(path)).toEqual(['redirect', undefined]);
    },
  );

  test('requests for a file are counted when the answer is data, because an application can return data at any path', async () => {
    const guard = detectingValidator();
    guard.origin.answers = 'data';
    const url = 'https://shop.example/x.png?format=json';
    expect(await countAllowed(guard, 53, () => visit({ url, headers: scriptFetch }))).toBe(50);
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

  test('requests for a file and preflights are free for all visitors', async () => {
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

  test('over http a script, a fetch and a WebSocket are requests for data, because their Accept is `*/*` or missing', async () => {
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
      const fromElsewhere = () => visit({ url, headers, ip: '90.146.1.1' });
      expect(await countAllowed(guard, 6, fromElsewhere)).toBe(5);
    }
  });

  test('a WebSocket over https is a request for data too, although Chromium sends no fetch metadata with it', async () => {
    const guard = detectingValidator();
    await guard.ask(visit());
    const socket = Object.fromEntries(
      Object.entries({ ...chromeHttps, ...HANDSHAKE }).filter(
        ([name]) => !/^(sec-fetch-|sec-ch-ua|accept$|upgrade-insecure)/.test(name),
      ),
    );
    expect(await countAllowed(guard, 20, () => visit({ headers: socket }))).toBe(20);
  });

  test('a session from a challenge page makes no data free before it loads a page', async () => {
    const guard = detectingValidator();
    await decisions(guard, 5, () => visit());
    const challenged = await guard.ask(visit());
    const cookie = challenged.cookies?.[0]?.value ?? '';
    const dataFromElsewhere = () => visit({ headers: scriptFetch, cookie, ip: '90.146.1.1' });
    expect(challenged.decision).toBe('redirect');
    expect(await countAllowed(guard, 6, dataFromElsewhere)).toBe(5);
    // After an hour Guard does not know any more whether the session passed, so its page can be open.
    guard.time.now += 61 * MINUTE_MS;
    expect(await countAllowed(guard, 30, dataFromElsewhere)).toBe(30);
  });

  test('data stays free in the network that loaded the page, although the address is challenged again', async () => {
    const guard = detectingValidator();
    const { cookies } = await guard.ask(visit());
    await decisions(guard, 9, () => visit({ cookie: cookies?.[0]?.value ?? '' }));
    const challengeCookie = await newSession(guard);
    const openPageData = () => visit({ headers: scriptFetch, cookie: challengeCookie });
    expect(await countAllowed(guard, 30, openPageData)).toBe(30);
  });

  test('a page of a visitor who passed makes data without a cookie free in four networks, for example from another host', async () => {
    const guard = detectingValidator();
    // This uses up all free pages of the client shape.
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

  test('data stays free for a page that was loaded with a short pass, after the pass has ended', async () => {
    const guard = detectingValidator();
    await decisions(guard, 5, () => visit({ ip: '90.146.1.1' }));
    const cookie = await newSession(guard, visit({ ip: '90.146.1.1' }));
    const pass = { judgedAt: guard.time.now, reasons: ['graphics_mismatch'] };
    guard.store.keepSession(cookie, verifiedSession(pass), 10 * MINUTE_MS);
    const visitorElsewhere = { cookie, ip: '84.115.99.7' };
    expect(await countAllowed(guard, 1, () => visit(visitorElsewhere))).toBe(1);
    guard.time.now += 11 * MINUTE_MS;
    const data = () => visit({ ...visitorElsewhere, headers: scriptFetch });
    expect(await countAllowed(guard, 30, data)).toBe(30);
  });
});
