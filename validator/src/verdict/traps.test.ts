import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { toBotKey } from '@guard/config/settings/sections/web-bot-auth';
import { describe, expect, test } from 'vitest';
import { newSigningAgent } from '../../../test/kit/visitors/signing-agent.ts';
import { type TestValidator, validatorWith } from '../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../test/kit/visitors/verified-session.ts';
import {
  chromeHttp,
  chromeHttps,
  curl,
  firefoxHttps,
  GOOGLEBOT_IP,
  googlebot,
  pictureOfPage,
  scriptFetch,
  visit,
} from '../../../test/kit/visitors/visitors.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RULES = '[{ name: everybody, match: {}, detect: true, challenge: auto }]';
const PASS = '0f8fad5b-d9cb-869f-a165-000000000001';
const TRAP = 'https://shop.example/.env';

function createGuard(traps: object = {}, rules = RULES): TestValidator {
  const guard = validatorWith(rules, { organisation: { traps } });
  guard.time.now += HOUR_MS;
  passChallenge(guard);
  guard.time.now += HOUR_MS;
  return guard;
}

/** Makes the session pass its challenge now. */
function passChallenge({ store, time }: TestValidator, id = PASS): void {
  store.keepSession(id, verifiedSession({ judgedAt: time.now }), 24 * HOUR_MS);
}

/** A request of another person at this address, who visits the site for the first time. */
const neighbour = () => visit({ headers: firefoxHttps });

async function decisionOf(guard: TestValidator, request: ValidateRequest) {
  return (await guard.ask(request)).decision;
}

const lastReasons = ({ events }: TestValidator) => events.at(-1)?.blockReasons;

describe('a request for a trap', () => {
  test('is challenged, and new visitors of the address are challenged for 10 minutes too', async () => {
    const guard = createGuard();
    expect(await decisionOf(guard, visit({ url: TRAP, headers: curl }))).toBe('redirect');
    expect(lastReasons(guard)).toEqual(['http_client_user_agent', 'trap_hit']);
    expect(await decisionOf(guard, neighbour())).toBe('redirect');
    expect(guard.events.at(-1)).toMatchObject({
      action: 'challenge',
      blockReasons: ['trap_hit'],
      blockReasonCategories: ['automated_browser'],
      rule: 'everybody',
    });
    expect(await decisionOf(guard, { ...neighbour(), ip: '84.115.20.8' })).toBe('allow');
    guard.time.now += 10 * MINUTE_MS + 1;
    expect(await decisionOf(guard, neighbour())).toBe('allow');
  });

  test('changes nothing for people at the address who passed, or for parts of pages', async () => {
    const guard = createGuard();
    await guard.ask(visit({ url: TRAP, headers: curl }));
    expect(await decisionOf(guard, visit({ cookie: PASS }))).toBe('allow');
    const picture = visit({ url: 'https://shop.example/a.png', headers: pictureOfPage });
    expect(await decisionOf(guard, picture)).toBe('allow');
  });

  test('is found in every spelling of the path', async () => {
    const guard = createGuard();
    for (const path of ['/%2eenv', '//.env', '/.ENV', '/a/../.env', '/.git/config']) {
      await guard.ask(visit({ url: `https://shop.example${path}`, headers: curl }));
      expect(lastReasons(guard), path).toContain('trap_hit');
    }
    for (const path of ['/owner/name/src/.env', '/.git/HEAD', '/.env.example', '/wp-login.php']) {
      await guard.ask(visit({ url: `https://shop.example${path}`, headers: curl }));
      expect(lastReasons(guard), path).not.toContain('trap_hit');
    }
  });

  test('makes a session that has passed pass once more, and never blocks the session', async () => {
    const guard = createGuard();
    const cookie = (await guard.ask(visit())).cookies?.[0]?.value ?? '';
    passChallenge(guard, cookie);
    guard.time.now += HOUR_MS;
    const typedRequest = visit({ url: TRAP, cookie });
    expect(await decisionOf(guard, typedRequest)).toBe('redirect');
    expect(lastReasons(guard)).toEqual(['trap_hit']);
    expect(await decisionOf(guard, visit({ cookie }))).toBe('redirect');
    passChallenge(guard, cookie);
    for (let again = 0; again < 20; again++)
      expect(await decisionOf(guard, typedRequest)).toBe('allow');
  });

  test('is found at the paths and presets of the settings, and at no path when the settings are empty', async () => {
    const guard = createGuard({ presets: ['wordpress'], paths: ['/old-admin/**'] });
    for (const path of ['/wp-login.php', '/old-admin/users']) {
      await guard.ask(visit({ url: `https://shop.example${path}`, headers: chromeHttps }));
      expect(lastReasons(guard), path).toEqual(['trap_hit']);
    }
    const none = createGuard({ link: false, presets: [] });
    expect(await decisionOf(none, visit({ url: TRAP }))).toBe('allow');
  });

  test('passes for an agent with a valid signature, even at an address that hit a trap', async () => {
    const agent = newSigningAgent();
    const key = toBotKey(agent.jwk, { agent: 'tester', directory: 'https://agent.example' });
    const guard = validatorWith(RULES, { botKeys: [key] });
    const askSigned = (url: string) => {
      const signing = { signatureAgent: '"https://agent.example"', createdMs: guard.time.now };
      return guard.ask(visit({ url, headers: { ...chromeHttps, ...agent.sign(signing) } }));
    };
    expect((await askSigned(TRAP)).decision).toBe('allow');
    await guard.ask(visit({ url: TRAP, headers: curl }));
    expect((await askSigned('https://shop.example/')).decision).toBe('allow');
    expect(await decisionOf(guard, neighbour())).toBe('redirect');
  });

  test('passes for verified crawlers, and for visitors whom a rule allows', async () => {
    const guard = createGuard();
    const crawler = visit({ url: TRAP, ip: GOOGLEBOT_IP, headers: googlebot });
    expect(await decisionOf(guard, crawler)).toBe('allow');
    const free = createGuard({}, '[{ name: mine, match: {}, verdict: allow }]');
    expect(await decisionOf(free, visit({ url: TRAP, headers: curl }))).toBe('allow');
    const never = createGuard({}, '[{ name: mine, match: {}, detect: true, challenge: never }]');
    expect(await decisionOf(never, visit({ url: TRAP }))).toBe('allow');
  });
});

/** Requests that a foreign page, a mail, or a post on the site itself can cause in a visitor's browser. */
const FOREIGN: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['a picture', { ...pictureOfPage, 'sec-fetch-site': 'cross-site' }],
  ['a picture in a post of the site', { ...pictureOfPage, 'sec-fetch-site': 'same-origin' }],
  ['a fetch', { ...scriptFetch, 'sec-fetch-site': 'cross-site' }],
  ['a link or a redirect', { ...chromeHttps, 'sec-fetch-site': 'cross-site' }],
  ['a page of another host of the same site', { ...chromeHttps, 'sec-fetch-site': 'same-site' }],
  ['a frame', { ...chromeHttps, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }],
  ['a link that the browser prefetches', { ...chromeHttps, 'sec-purpose': 'prefetch;prerender' }],
  ['a link over http, without a referrer', chromeHttp],
  ['a picture over http', { ...chromeHttp, accept: 'image/avif,image/webp,*/*;q=0.8' }],
  ['a script over http', { ...chromeHttp, accept: '*/*' }],
  ['a link over http, with a referrer', { ...chromeHttp, referer: 'http://evil.example/' }],
  ['a form over http', { ...chromeHttp, origin: 'null' }],
];

describe('a stranger cannot make a visitor hit a trap', () => {
  test.each(FOREIGN)('%s', async (_what, headers) => {
    const guard = createGuard();
    const scheme = headers['sec-fetch-site'] === undefined ? 'http' : 'https';
    const url = `${scheme}://shop.example/.env`;
    for (let times = 0; times < 30; times++) {
      expect(await decisionOf(guard, visit({ url, headers, cookie: PASS }))).toBe('allow');
      expect((await guard.ask(visit({ url, headers }))).status_code).not.toBe(429);
    }
    expect(await decisionOf(guard, visit({ cookie: PASS }))).toBe('allow');
    guard.time.now += HOUR_MS;
    await guard.ask(visit({ url, headers }));
    expect(await decisionOf(guard, neighbour())).toBe('allow');
  });

  test('the hit of a program is remembered: a client over https without fetch metadata is no browser', async () => {
    const guard = createGuard();
    const headers = Object.fromEntries(
      Object.entries(chromeHttps).filter(([name]) => !name.startsWith('sec-fetch')),
    );
    await guard.ask(visit({ url: TRAP, headers }));
    expect(await decisionOf(guard, neighbour())).toBe('redirect');
  });

  test('a link to a trap in a mail costs its reader one challenge, and changes nothing for other people at the address', async () => {
    const guard = createGuard();
    const session = (await guard.ask(visit())).cookies?.[0]?.value ?? '';
    const reader = { cookie: session };
    for (let times = 0; times < 30; times++) {
      expect(await decisionOf(guard, visit({ ...reader, url: TRAP }))).toBe('redirect');
    }
    expect(await decisionOf(guard, neighbour())).toBe('allow');
    const dataOfApp = visit({ headers: scriptFetch, url: 'https://shop.example/api' });
    expect(await decisionOf(guard, dataOfApp)).toBe('allow');
    expect(await decisionOf(guard, visit(reader))).toBe('redirect');
    expect(lastReasons(guard)).toEqual(['trap_hit']);
    guard.time.now += HOUR_MS + 1;
    expect(await decisionOf(guard, visit(reader))).toBe('allow');
  });

  test('a program that does not claim to be a browser is remembered by its address, whatever its other headers are', async () => {
    const guard = createGuard();
    await guard.ask(visit({ url: TRAP, headers: { ...chromeHttps, ...curl } }));
    expect(await decisionOf(guard, neighbour())).toBe('redirect');
  });
});
