import { sessionDigest } from '@guard/config/contract/session-digest';
import type { ValidateResponse } from '@guard/config/contract/validate-response';
import { describe, expect, test } from 'vitest';
import { hashUserAgent } from '../../validator/src/request/user-agent-hash.ts';
import { openPage, person, post, robot, uploadOf } from '../attack/challenged-visitor.ts';
import { countedStore } from '../attack/counted-store.ts';
import { chromeHttps, curl, googlebot, visit } from '../kit/visitors/visitors.ts';
import { verifiedSession } from '../kit/visitors/verified-session.ts';
import { bodyOf, serveValidator } from './serve-validator.ts';
import { neverSettles, storeWith } from './store-with.ts';

const DETECT = '[{ name: r, match: {}, detect: true }]';
const CHALLENGE = { rules: '[{ name: r, match: {}, challenge: always }]' };
const impersonator = visit({ headers: googlebot });

describe('3 "confidently clean, or policy allow": decision allow', () => {
  test.each([
    ['clean', DETECT, visit()],
    ['policy', `[{ name: a, match: {}, verdict: allow }, ${DETECT.slice(1)}`, impersonator],
  ])('%s: "status 200 by default; cookies may be attached"', async (_why, rules, request) => {
    const { ask } = await serveValidator({ rules });
    const answer = await ask(request);
    expect(answer).toMatchObject({ decision: 'allow', status_code: 200 });
    expect(answer).not.toHaveProperty('block_reasons');
    expect(answer).not.toHaveProperty('response_html');
  });
});

describe('3 "confidently bad, or policy block": decision block', () => {
  test.each([
    ['detection', DETECT, impersonator, 'crawler_impersonator', 'crawler_impersonator'],
    ['policy', '[{ name: r, match: {}, verdict: block }]', visit(), 'policy_block', 'unknown'],
  ])(
    '%s: "status 403 by default; base64 block page; block_reasons, block_reason_categories"',
    async (_why, rules, request, reason, category) => {
      const { ask } = await serveValidator({ rules });
      const answer = await ask(request);
      expect(answer).toMatchObject({ decision: 'block', status_code: 403 });
      expect(answer.block_reasons).toContain(reason);
      expect(answer.block_reason_categories).toContain(category);
      expect(bodyOf(answer)).toContain('<!doctype html>');
      expect(answer.headers?.['Cache-Control']).toContain('no-store');
    },
  );
});

describe('3 "uncertain": decision redirect (interstitial)', () => {
  test('"status 403 by default; challenge page; _guard cookie and a script-nonce Content-Security-Policy"', async () => {
    const { ask, events } = await serveValidator(CHALLENGE);
    const answer = await ask(visit());
    expect(answer).toMatchObject({ decision: 'redirect', status_code: 403 });
    expect(answer.cookies).toMatchObject([{ name: '_guard' }]);
    const policy = answer.headers?.['Content-Security-Policy'] ?? '';
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
    expect(nonce).toBeDefined();
    expect(policy).not.toContain('unsafe');
    expect(bodyOf(answer)).toContain(`nonce="${nonce ?? ''}"`);
    expect(answer.headers?.['Cache-Control']).toContain('no-store');
    expect(events).toMatchObject([{ action: 'challenge', challenge: 'issued' }]);
  });

  test('each page has its own nonce and ticket', async () => {
    const { ask } = await serveValidator(CHALLENGE);
    const [first, second] = [await ask(visit()), await ask(visit())];
    const policy = (answer: ValidateResponse) => answer.headers?.['Content-Security-Policy'];
    expect(policy(first)).not.toBe(policy(second));
    expect(bodyOf(first)).not.toBe(bodyOf(second));
  });

  test('the page for a visitor of an API caller uploads to the collector host', async () => {
    const { ask } = await serveValidator(CHALLENGE);
    const answer = await ask(visit());
    expect(bodyOf(answer)).toContain('https://collector.example/verify');
    expect(answer.headers?.['Content-Security-Policy']).toContain('https://collector.example');
  });

  test('a client that accepts no page gets the same decision as problem details', async () => {
    const { ask, events } = await serveValidator(CHALLENGE);
    const fetchFields = { ...chromeHttps, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
    const answer = await ask(visit({ headers: fetchFields }));
    expect(answer).toMatchObject({ decision: 'redirect', status_code: 403 });
    expect(JSON.parse(bodyOf(answer))).toMatchObject({
      code: 'challenge_required',
      request_id: answer.request_id,
      reference: events[0]?.reference,
    });
  });
});

describe('3 "rule has monitor: true and a terminal block would apply": decision allow', () => {
  test('"block_reasons populated"; the event has the decision without monitor', async () => {
    const rules = '[{ name: r, match: {}, detect: true, monitor: true }]';
    const { ask, events } = await serveValidator({ rules });
    const answer = await ask(impersonator);
    expect(answer).toMatchObject({ decision: 'allow', status_code: 200 });
    expect(answer.block_reasons).toContain('crawler_impersonator');
    expect(answer.block_reason_categories).toContain('crawler_impersonator');
    expect(answer).not.toHaveProperty('response_html');
    expect(events).toMatchObject([{ action: 'allow', decision: 'block', monitor: true }]);
  });

  test.each([
    ['for every session', 'challenge: always', visit()],
    ['because of a finding', 'challenge: auto', visit({ headers: curl })],
  ])('a challenge %s is still returned as redirect (contract 1)', async (_why, rule, request) => {
    const rules = `[{ name: r, match: {}, detect: true, ${rule}, monitor: true }]`;
    const { ask } = await serveValidator({ rules });
    expect((await ask(request)).decision).toBe('redirect');
  });
});

describe('3 "rate-limit rule exceeded": decision block with rate_limited: true', () => {
  test('"HTTP 200 envelope; retry_after seconds"; after that time one request is allowed again', async () => {
    const rules = '[{ name: r, match: {}, rate_limit: { requests: 2, per: 1m, by: ip } }]';
    const { ask, time, events } = await serveValidator({ rules });
    for (let i = 0; i < 2; i++) expect((await ask(visit())).decision).toBe('allow');
    const answer = await ask(visit());
    expect(answer).toMatchObject({
      decision: 'block',
      status_code: 429,
      rate_limited: true,
      retry_after: 30,
      block_reasons: ['rate_limit_exceeded'],
      block_reason_categories: ['suspicious_network'],
    });
    expect(events.at(-1)).toMatchObject({ action: 'limited', rateLimited: true, rule: 'r' });
    time.now += 30_000;
    expect((await ask(visit())).decision).toBe('allow');
  });
});

describe('3 after the interstitial', () => {
  const rejectedFor = (...reasons: string[]) => verifiedSession({ state: 'rejected', reasons });
  const cookie = '3f0e5c9a-8a4b-4c6d-8e9f-0a1b2c3d4e5f';

  test.each([
    ['passed', verifiedSession(), 'allow', []],
    ['failed', rejectedFor('webdriver'), 'block', ['webdriver']],
    [
      'failed because of one weaker sign',
      rejectedFor('emulated_screen'),
      'block',
      ['emulated_screen'],
    ],
    [
      'passed by another browser',
      verifiedSession({ userAgentHash: hashUserAgent('curl/8.14.1') }),
      'redirect',
      [],
    ],
  ])('"next /validate returns allow or block": %s', async (_how, session, decision, reasons) => {
    for (const detection of ['detect: true, ', '']) {
      const rules = `[{ name: r, match: {}, ${detection}challenge: always }]`;
      const { ask } = await serveValidator({ rules, store: storeWith({ session: () => session }) });
      const answer = await ask(visit({ cookie }));
      expect(answer.decision).toBe(decision);
      expect(answer.block_reasons ?? []).toEqual(reasons);
    }
  });

  test('"clients that never run JavaScript keep receiving the interstitial"', async () => {
    const { ask } = await serveValidator({ rules: DETECT });
    let sentCookie = '';
    for (let i = 0; i < 3; i++) {
      const answer = await ask(visit({ headers: curl, cookie: sentCookie }));
      expect(answer).toMatchObject({ decision: 'redirect', status_code: 403 });
      sentCookie = answer.cookies?.[0]?.value ?? sentCookie;
    }
  });
});

describe('3 "interstitial served"', () => {
  const rules = '[{ name: r, match: {}, detect: true, challenge: always }]';
  const asPerson = (cookie: string) => visit({ headers: person.headers, cookie });

  test('"upload succeeds": "next /validate returns allow", until the session ends', async () => {
    const { store } = countedStore();
    const served = await serveValidator({ rules, store });
    const page = await openPage(served);
    expect((await post(served, uploadOf(page))).body).toBe('{"result":"reload"}');
    expect(served.events).toHaveLength(1);
    for (const hours of [0, 1, -1, 23]) {
      served.time.now += hours * 3_600_000;
      expect((await served.ask(asPerson(page.session))).decision, `${hours} h`).toBe('allow');
      served.time.now -= hours * 3_600_000;
    }
  });

  test('"upload succeeds": "or block", with the reasons of the challenge', async () => {
    const served = await serveValidator({ rules, store: countedStore().store });
    const page = await openPage(served, { who: robot });
    const agent = { 'user-agent': robot.headers['user-agent'] ?? '' };
    expect((await post(served, uploadOf(page, robot), agent)).body).toBe('{"result":"reload"}');
    const answer = await served.ask(visit({ headers: robot.headers, cookie: page.session }));
    expect(answer.decision).toBe('block');
    expect(answer.block_reasons).toContain('webdriver');
    expect(answer.block_reason_categories).toContain('automated_browser');
  });

  test.each([
    ['refuses', () => Promise.reject(new Error('connection refused'))],
    ['never answers', () => neverSettles<boolean>()],
  ])(
    '"session storage unavailable" (it %s): 503, "session unverified", "later validations can challenge again"',
    async (_how, spend) => {
      const served = await serveValidator({ rules, store: storeWith({ spend }) });
      const page = await openPage(served);
      const answer = await post(served, uploadOf(page));
      expect(answer).toMatchObject({ status: 503, body: '{"result":"retry"}' });
      // "a support reference code": with the code that the visitor sees, the events are found.
      expect(served.events.filter(({ reference }) => reference === page.reference)).toMatchObject([
        { action: 'challenge', challenge: 'issued' },
        {
          action: 'challenge',
          challenge: 'failed',
          statusCode: 503,
          session: sessionDigest(page.session),
        },
      ]);
      expect((await served.ask(asPerson(page.session))).decision).toBe('redirect');
    },
  );

  test('"upload absent": a session that comes again half an hour later has the reason challenge_never_cleared (contract 2.2)', async () => {
    const { ask, time } = await serveValidator({ rules: DETECT });
    const headers = Object.fromEntries(
      Object.entries(chromeHttps).filter(([name]) => name !== 'accept-language'),
    );
    const first = await ask(visit({ headers }));
    const cookie = first.cookies?.[0]?.value ?? '';
    expect(first.block_reasons).not.toContain('challenge_never_cleared');
    expect((await ask(visit({ headers, cookie }))).block_reasons).toEqual(first.block_reasons);
    time.now += 30 * 60_000;
    const again = await ask(visit({ headers, cookie }));
    expect(again.decision).toBe('redirect');
    expect(again.block_reasons).toContain('challenge_never_cleared');
    expect(again.block_reason_categories).toContain('challenge_failure');
  });

  test('"caller drops the returned cookies": "fails closed with reason interstitial_no_session"', async () => {
    const { store, keptSessions } = countedStore();
    const served = await serveValidator({ rules, store });
    const page = await openPage(served);
    const answer = await post(served, { ...uploadOf(page), session: '' });
    expect(answer).toMatchObject({ status: 200, body: '{"result":"no_session"}' });
    expect(keptSessions).toEqual([]);
    expect(served.events.at(-1)).toMatchObject({
      challenge: 'failed',
      blockReasons: ['interstitial_no_session'],
      blockReasonCategories: ['challenge_failure'],
      reference: page.reference,
    });
    expect((await served.ask(visit({ headers: person.headers }))).decision).toBe('redirect');
  });

  test('two tabs of one session: the second answer is not judged again, and both tabs are allowed', async () => {
    const { store, keptSessions } = countedStore();
    const served = await serveValidator({ rules, store });
    const first = await openPage(served);
    const second = await openPage(served, { cookie: first.session });
    expect((await post(served, uploadOf(first))).body).toBe('{"result":"reload"}');
    expect((await post(served, uploadOf(second))).body).toBe('{"result":"retry"}');
    expect(keptSessions).toHaveLength(1);
    expect((await served.ask(asPerson(first.session))).decision).toBe('allow');
  });
});

describe('3 "redirect without response_html": the caller denies', () => {
  test('a matched crawler gets no session and could not pass, so it gets no page', async () => {
    const { ask } = await serveValidator(CHALLENGE);
    const answer = await ask(impersonator);
    expect(answer).toMatchObject({ decision: 'redirect', status_code: 403 });
    expect(answer).not.toHaveProperty('response_html');
    expect(answer).not.toHaveProperty('cookies');
  });
});
