import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import { type TestValidator, validatorWith } from '../../../test/kit/validator.ts';
import { verifiedSession } from '../../../test/kit/verified-session.ts';
import {
  chromeHttp,
  firefoxHttps,
  pictureOfPage,
  scriptFetch,
  visit,
} from '../../../test/kit/visitors.ts';

const MINUTE_MS = 60_000;
const DETECT = '[{ name: everybody, match: {}, detect: true }]';

const guarded = (organisation: Readonly<Record<string, unknown>> = {}, rules = DETECT) =>
  validatorWith(rules, { organisation });

async function decisions(
  { ask }: TestValidator,
  count: number,
  request: (index: number) => ValidateRequest,
): Promise<string[]> {
  const found: string[] = [];
  for (let index = 0; index < count; index++) found.push((await ask(request(index))).decision);
  return found;
}

const times = (count: number, decision: string) => Array.from({ length: count }, () => decision);

describe('challenge: auto, the first pages are free', () => {
  test('five pages in ten minutes for a visitor without a session, then the challenge, which says why', async () => {
    const guard = guarded();
    expect(await decisions(guard, 7, () => visit())).toEqual([
      ...times(5, 'allow'),
      ...times(2, 'redirect'),
    ]);
    expect(guard.events.at(-1)).toMatchObject({
      action: 'challenge',
      blockReasons: ['free_pages_used'],
      rule: 'everybody',
    });
    guard.time.now += 2 * MINUTE_MS;
    expect(await decisions(guard, 2, () => visit())).toEqual(['allow', 'redirect']);
  });

  test('a new session, or none, for each page gains nothing', async () => {
    const guard = guarded();
    const cookies: string[] = [];
    for (let index = 0; index < 5; index++) {
      const { cookies: given } = await guard.ask(visit());
      cookies.push(given?.[0]?.value ?? '');
    }
    expect(await decisions(guard, 5, (index) => visit({ cookie: cookies[index] ?? '' }))).toEqual(
      times(5, 'redirect'),
    );
  });

  test('another address has pages of its own, until those with the same client are used up', async () => {
    const guard = guarded();
    const found = await decisions(guard, 120, (index) => visit({ ip: `84.115.${index}.7` }));
    expect(found).toEqual([...times(100, 'allow'), ...times(20, 'redirect')]);
    expect((await guard.ask(visit({ ip: '84.115.200.7', headers: firefoxHttps }))).decision).toBe(
      'allow',
    );
  });

  test('an IPv6 visitor has a /64; a /48 has 16 times as many pages, and not 65,536 times', async () => {
    const guard = guarded({ challenge: { free_pages: { pages: 1, per: '10m' } } });
    const found = await decisions(guard, 20, (index) =>
      visit({ ip: `2a02:1748:1:${index.toString(16)}00::1` }),
    );
    expect(found).toEqual([...times(16, 'allow'), ...times(4, 'redirect')]);
  });

  test('a session that passed the challenge counts no page', async () => {
    const guard = guarded();
    const { cookies } = await guard.ask(visit());
    const cookie = cookies?.[0]?.value ?? '';
    guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), MINUTE_MS);
    expect(await decisions(guard, 20, () => visit({ cookie }))).toEqual(times(20, 'allow'));
  });

  test('challenge: auto counts without detection, challenge: never and free_pages: false do not count', async () => {
    const rules = (rest: string) => `[{ name: everybody, match: {}, ${rest} }]`;
    const auto = guarded({}, rules('challenge: auto'));
    expect((await decisions(auto, 6, () => visit())).at(-1)).toBe('redirect');
    for (const guard of [
      guarded({}, rules('detect: true, challenge: never')),
      guarded({}, rules('verdict: allow, detect: true')),
      guarded({ challenge: { free_pages: false } }),
    ]) {
      expect(await decisions(guard, 20, () => visit())).toEqual(times(20, 'allow'));
    }
  });

  test('contract 1: in monitor mode the challenge is left as it is', async () => {
    const guard = guarded({ monitor: true });
    expect((await decisions(guard, 6, () => visit())).at(-1)).toBe('redirect');
  });

  test('in monitor mode a visitor who would be blocked has no more free pages than any other', async () => {
    const guard = guarded({ monitor: true });
    const headers = { ...firefoxHttps, 'user-agent': 'Mozilla/5.0 HeadlessChrome/156.0.0.0' };
    const found = await decisions(guard, 7, () => visit({ headers }));
    expect(found).toEqual([...times(5, 'allow'), ...times(2, 'redirect')]);
    expect(guard.events[0]).toMatchObject({ action: 'allow', decision: 'block' });
    expect(guard.events.at(-1)?.blockReasons).toContain('headless_user_agent');
    expect(guard.events.at(-1)?.blockReasons).toContain('free_pages_used');
  });
});

/** What a page in Firefox fetches by itself. */
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
    const guard = guarded();
    const { cookies } = await guard.ask(visit());
    expect(await decisions(guard, 30, () => visit({ headers: scriptFetch }))).toEqual(
      times(30, 'allow'),
    );
    const cookie = cookies?.[0]?.value ?? '';
    const elsewhere = () => visit({ headers: scriptFetch, cookie, ip: '90.146.1.1' });
    expect(await decisions(guard, 30, elsewhere)).toEqual(times(30, 'allow'));
  });

  test('count like pages where no page was loaded; their answer is no page', async () => {
    const guard = guarded();
    const found = await decisions(guard, 6, () => visit({ headers: scriptFetch }));
    expect(found).toEqual([...times(5, 'allow'), 'redirect']);
    const { headers } = await guard.ask(visit({ headers: scriptFetch }));
    expect(headers?.['Content-Type']).toContain('application/problem+json');
  });

  test('of a file that pages are made of, or of a preflight, are free for everybody', async () => {
    const guard = guarded();
    const image = () => visit({ url: 'https://shop.example/logo.PNG?v=2', headers: pictureOfPage });
    expect(await decisions(guard, 20, image)).toEqual(times(20, 'allow'));
    const preflight = () => visit({ method: 'OPTIONS', headers: scriptFetch });
    expect(await decisions(guard, 20, preflight)).toEqual(times(20, 'allow'));
  });

  test('over http, where browsers send no fetch metadata, Accept tells a page from data', async () => {
    const guard = guarded();
    const url = 'http://shop.example/';
    await guard.ask(visit({ url, headers: chromeHttp }));
    const data = { ...chromeHttp, accept: 'application/json' };
    expect(await decisions(guard, 20, () => visit({ url, headers: data }))).toEqual(
      times(20, 'allow'),
    );
    const found = await decisions(guard, 5, () => visit({ url, headers: chromeHttp }));
    expect(found).toEqual([...times(4, 'allow'), 'redirect']);
  });

  test('documents in answer to data: 50 in ten minutes, then none until ten minutes are over', async () => {
    const guard = guarded();
    await guard.ask(visit());
    guard.origin.answers = 'document';
    const data = () => visit({ headers: scriptFetch });
    const first = await decisions(guard, 60, data);
    expect(first).toEqual([...times(51, 'allow'), ...times(9, 'redirect')]);
    guard.time.now += 9 * MINUTE_MS;
    expect(await decisions(guard, 1, data)).toEqual(['redirect']);
    // A preflight brings no cookie, and a picture is another site's too.
    const preflight = () => visit({ method: 'OPTIONS', headers: scriptFetch });
    const picture = () => visit({ url: 'https://shop.example/a.png', headers: pictureOfPage });
    expect(await decisions(guard, 1, preflight)).toEqual(['allow']);
    expect(await decisions(guard, 1, picture)).toEqual(['allow']);
    guard.time.now += MINUTE_MS + 1;
    expect(await decisions(guard, 1, data)).toEqual(['allow']);
  });

  test('pictures of a foreign page that are pages of the site break nothing that is open at the address', async () => {
    const guard = guarded();
    await guard.ask(visit());
    const foreign = { ...pictureOfPage, 'sec-fetch-site': 'cross-site' };
    expect(await documents(guard, 60, () => visit({ headers: foreign }))).toBe(51);
    const own = [scriptFetch, pictureOfPage].map((headers) => () => visit({ headers }));
    for (const request of own) {
      expect(await decisions(guard, 10, request)).toEqual(times(10, 'allow'));
    }
    expect(await decisions(guard, 4, () => visit())).toEqual(times(4, 'allow'));
  });

  /** Documents that so many requests get, each with its address. */
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

  test('documents called data and documents called files are one budget of an address', async () => {
    const guard = guarded();
    await guard.ask(visit());
    const data = () => visit({ headers: scriptFetch });
    const file = () => visit({ url: 'https://shop.example/list/x.css', headers: scriptFetch });
    expect(await documents(guard, 60, data)).toBe(51);
    // Files are free until one is a document.
    expect(await decisions(guard, 20, file)).toEqual(times(20, 'allow'));
    expect(await documents(guard, 60, file)).toBe(1);
    expect(await decisions(guard, 1, file)).toEqual(['redirect']);
  });

  test('one session opens data in four networks, and not in a thousand', async () => {
    const guard = guarded();
    const { cookies } = await guard.ask(visit());
    const cookie = cookies?.[0]?.value ?? '';
    const from = (index: number) =>
      visit({ headers: scriptFetch, cookie, ip: `90.${146 + (index >> 8)}.${index & 255}.1` });
    // The others count as pages. All clients of the shape have 100 together.
    expect(await documents(guard, 10 * 300, (index) => from(index % 300))).toBeLessThan(150);
    expect(await decisions(guard, 300, () => from(200))).toEqual(times(300, 'redirect'));
    expect(await decisions(guard, 300, () => visit({ headers: scriptFetch, cookie }))).toEqual(
      times(300, 'allow'),
    );
  });

  test('1,000 documents as data for all clients of one shape; then each address has 10, and JSON stays free', async () => {
    const guard = guarded({ challenge: { pressure: false } });
    const ipOf = (index: number) => `84.116.${index}.7`;
    const cookies: string[] = [];
    for (let index = 0; index < 60; index++) {
      const { cookies: given } = await guard.ask(visit({ ip: ipOf(index) }));
      cookies.push(given?.[0]?.value ?? '');
    }
    const data = (index: number) =>
      visit({ headers: scriptFetch, ip: ipOf(index), cookie: cookies[index] ?? '' });
    // 60 addresses with a page each had 3,060.
    expect(await documents(guard, 60 * 60, (index) => data(Math.floor(index / 60)))).toBeLessThan(
      1_000 + 60 * 11,
    );
    const other = { headers: firefoxFetch, ip: ipOf(200) };
    await guard.ask(visit({ headers: firefoxHttps, ip: ipOf(200) }));
    expect(await documents(guard, 40, () => visit(other))).toBe(40);
    guard.time.now += 10 * MINUTE_MS + 1;
    expect(await decisions(guard, 500, () => data(3))).toEqual(times(500, 'allow'));
    expect(await documents(guard, 30, () => data(3))).toBe(30);
  });

  test('a page that asks for hundreds of JSON answers stays free while its shape has used up its documents', async () => {
    const guard = guarded({ challenge: { pressure: false } });
    const ipOf = (index: number) => `84.116.${index}.7`;
    for (let index = 0; index < 30; index++) {
      await guard.ask(visit({ ip: ipOf(index) }));
      await documents(guard, 60, () => visit({ headers: scriptFetch, ip: ipOf(index) }));
    }
    guard.time.now += 2 * MINUTE_MS;
    await guard.ask(visit({ ip: ipOf(99) }));
    guard.origin.answers = 'data';
    const json = () => visit({ headers: scriptFetch, ip: ipOf(99) });
    expect(await decisions(guard, 500, json)).toEqual(times(500, 'allow'));
    // It has few documents then.
    expect(await documents(guard, 30, json)).toBe(11);
  });

  test.each([
    ['50 requests for data', '/list', 50],
    ['500 parts of pages', '/list;x.css', 500],
  ])('while their answers are not known, %s of an address wait at once', async (_, path, most) => {
    const guard = guarded();
    await guard.ask(visit());
    guard.origin.answers = 'never';
    const url = `https://shop.example${path}`;
    const found = await decisions(guard, most + 1, () => visit({ url, headers: scriptFetch }));
    expect(found).toEqual([...times(most, 'allow'), 'redirect']);
    const neighbour = () => visit({ url, headers: scriptFetch, ip: '84.115.99.7' });
    expect(await decisions(guard, 1, neighbour)).toEqual(['allow']);
  });
});
