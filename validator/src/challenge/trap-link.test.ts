import type { ForeignValidateResponse } from '@guard/config/contract/validate-response';
import { describe, expect, test } from 'vitest';
import { type TestValidator, validatorWith } from '../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../test/kit/visitors/verified-session.ts';
import {
  curl,
  firefoxHttps,
  GOOGLEBOT_UA,
  HOME_IP,
  pictureOfPage,
  visit,
} from '../../../test/kit/visitors/visitors.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RULES = '[{ name: everybody, match: {}, detect: true, challenge: auto }]';
const BLOCKS = '[{ name: closed, match: {}, verdict: block }]';

/** A page of Guard, the session that came with it, and the link that a program finds in its text. */
interface Page {
  readonly html: string;
  readonly session: string;
  readonly link: string;
}

function pageOf({ response_html = '', cookies = [] }: ForeignValidateResponse): Page {
  const html = Buffer.from(response_html, 'base64').toString();
  const link = /href="(\/[^"]*)"/.exec(html)?.[1] ?? '';
  return { html, link, session: cookies[0]?.value ?? '' };
}

const scraper = (cookie?: string) => visit({ headers: curl, ...(cookie && { cookie }) });
const neighbour = () => visit({ headers: firefoxHttps });

/** Follows a link with the request that the gateway sends to the collector. */
async function follow({ validator }: TestValidator, link: string, ip = HOME_IP, cookie = '') {
  const { pathname, search } = new URL(link, 'https://shop.example');
  return validator.collect({
    method: 'GET',
    path: pathname.slice('/.guard'.length),
    query: search.slice(1),
    headers: { 'user-agent': 'links/1', ...(cookie && { cookie: `_guard=${cookie}` }) },
    body: '',
    ip,
  });
}

async function requestChallengePage(guard: TestValidator): Promise<Page> {
  return pageOf(await guard.ask(scraper()));
}

/** Whether a new visitor at the address gets a free page. The visitor has the headers of a browser. */
async function isFree(guard: TestValidator): Promise<boolean> {
  return (await guard.ask(neighbour())).decision === 'allow';
}

describe('the trap link on pages of Guard', () => {
  test.each([RULES, BLOCKS])('is only inside a comment of the page: %s', async (rules) => {
    const guard = validatorWith(rules);
    const { html, link } = pageOf(await guard.ask(scraper()));
    expect(link).toMatch(/^\/\.guard\/archive\?page=acme\.[0-9a-f]{32}\.[0-9a-z]+\.[0-9a-f]{24}$/);
    const comments = [...html.matchAll(/<!--([^]*?)-->/g)].map(([, text = '']) => text);
    expect(comments.filter((text) => text.includes(link))).toHaveLength(1);
    expect(html.replaceAll(/<!--[^]*?-->/g, '')).not.toContain('archive');
  });

  test('answers 404 to a visitor who follows it, and then new visitors of the address are challenged for 10 minutes', async () => {
    const guard = validatorWith(RULES);
    const { link } = await requestChallengePage(guard);
    expect(await isFree(guard)).toBe(true);
    expect(await follow(guard, link)).toMatchObject({ status: 404, body: '' });
    expect(guard.events.at(-1)).toMatchObject({
      organisation: 'acme',
      action: 'block',
      blockReasons: ['trap_hit'],
      path: '/.guard/archive',
      ip: HOME_IP,
      userAgent: 'links/1',
      statusCode: 404,
    });
    expect(await isFree(guard)).toBe(false);
    guard.time.now += 10 * MINUTE_MS + 1;
    expect(await isFree(guard)).toBe(true);
  });

  test('ends the pass of a session that follows it in the network of the pass, for all addresses; after a second time the session has to wait in its network', async () => {
    const guard = validatorWith(RULES);
    const { link, session } = await requestChallengePage(guard);
    const passChallenge = () =>
      guard.store.keepSession(session, verifiedSession({ judgedAt: guard.time.now }), HOUR_MS);
    const askFromElsewhere = () => guard.ask(visit({ cookie: session, ip: '84.115.99.1' }));
    passChallenge();
    expect((await askFromElsewhere()).decision).toBe('allow');
    await follow(guard, link, HOME_IP, session);
    expect((await askFromElsewhere()).decision).toBe('redirect');
    passChallenge();
    expect((await askFromElsewhere()).decision).toBe('allow');
    await follow(guard, link, HOME_IP, session);
    expect((await askFromElsewhere()).decision).toBe('redirect');
    const askFromNextDoor = () => guard.ask(visit({ cookie: session, ip: '84.115.20.8' }));
    expect(await askFromNextDoor()).toMatchObject({ status_code: 429, retry_after: 600 });
    expect(guard.events.at(-1)).toMatchObject({ action: 'limited', blockReasons: ['trap_hit'] });
  });

  test('is missing without a session, and when the setting is off', async () => {
    const guard = validatorWith(RULES);
    const crawler = await guard.ask(visit({ headers: { 'user-agent': GOOGLEBOT_UA } }));
    expect(pageOf(crawler)).toMatchObject({ link: '' });
    expect(pageOf(crawler).html).not.toBe('');
    const guardWithoutLink = validatorWith(RULES, { organisation: { traps: { link: false } } });
    const { html, link } = await requestChallengePage(guardWithoutLink);
    expect([link, html.includes('<!--')]).toEqual(['', false]);
    await follow(guardWithoutLink, (await requestChallengePage(guard)).link);
    expect(await isFree(guardWithoutLink)).toBe(true);
  });
});

describe('a stranger cannot make a visitor follow the trap link', () => {
  test('it has no effect from another address', async () => {
    const guard = validatorWith(RULES);
    const { link } = await requestChallengePage(guard);
    const before = guard.events.length;
    expect(await follow(guard, link, '198.51.100.4')).toMatchObject({ status: 404 });
    expect(guard.events).toHaveLength(before);
    expect(await isFree(guard)).toBe(true);
    const answerAtOtherAddress = await guard.ask({ ...neighbour(), ip: '198.51.100.4' });
    expect(answerAtOtherAddress.decision).toBe('allow');
  });

  test('it does not end the pass of another visitor at the same address', async () => {
    const guard = validatorWith(RULES);
    const { link } = await requestChallengePage(guard);
    const { session } = await requestChallengePage(guard);
    guard.store.keepSession(session, verifiedSession({ judgedAt: guard.time.now }), HOUR_MS);
    for (let times = 0; times < 5; times++) await follow(guard, link, HOME_IP, session);
    const { decision } = await guard.ask(visit({ cookie: session }));
    expect(decision).toBe('allow');
    const picture = visit({ url: 'https://shop.example/a.png', headers: pictureOfPage });
    expect((await guard.ask(picture)).decision).toBe('allow');
  });

  test('a planted cookie whose owner followed it twice lets the visitor pass the challenge', async () => {
    const guard = validatorWith(RULES);
    const own = pageOf(await guard.ask(visit({ ip: '198.51.100.4' }))).session;
    const { link, session } = await requestChallengePage(guard);
    for (let times = 0; times < 2; times++) await follow(guard, link, HOME_IP, session);
    for (const cookie of [session, `${own}; _guard=${session}`]) {
      const headers = { ...firefoxHttps, cookie: `_guard=${cookie}` };
      const { decision } = await guard.ask(visit({ headers, ip: '198.51.100.4' }));
      expect(decision).toBe('redirect');
    }
  });

  test('a session that was planted before its visitor passed does not lose the pass when its owner follows the link', async () => {
    const guard = validatorWith(RULES);
    const { link, session } = await requestChallengePage(guard);
    const network = '198.51.100.0/24';
    const pass = verifiedSession({ judgedAt: guard.time.now, network });
    guard.store.keepSession(session, pass, HOUR_MS);
    await follow(guard, link, HOME_IP, session);
    const { decision } = await guard.ask(visit({ cookie: session, ip: '198.51.100.4' }));
    expect(decision).toBe('allow');
  });

  test('it has no effect after two hours, or with one changed character', async () => {
    const guard = validatorWith(RULES);
    const { link } = await requestChallengePage(guard);
    for (let at = link.indexOf('=') + 1; at < link.length; at += 3) {
      const sign = link[at] === 'a' ? 'b' : 'a';
      await follow(guard, link.slice(0, at) + sign + link.slice(at + 1));
    }
    for (const broken of [`${link}a`, `${link}.a`, link.slice(0, -24), '/.guard/archive']) {
      await follow(guard, broken);
    }
    expect(await isFree(guard)).toBe(true);
    guard.time.now += 2 * HOUR_MS;
    await follow(guard, link);
    expect(await isFree(guard)).toBe(true);
  });

  test('a hundred hits in a minute make 10 events', async () => {
    const guard = validatorWith(RULES);
    const { link } = await requestChallengePage(guard);
    const before = guard.events.length;
    for (let times = 0; times < 100; times++) await follow(guard, link);
    expect(guard.events).toHaveLength(before + 10);
  });
});
