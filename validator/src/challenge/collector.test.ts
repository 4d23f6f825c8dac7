import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { hashUserAgent } from '../request/user-agent-hash.ts';
import { corsHeaders } from './cors.ts';
import { createCollector } from './collector.ts';
import { createSealer } from '../session/sealer.ts';
import { writeFields } from './tickets/ticket-fields.ts';
import { aChallengedVisitor, SECRETS, TERMS } from './testing/challenged-visitor.ts';
import { USUAL } from './testing/answers.ts';

const body = (result: string) => JSON.stringify({ result });

describe('contract 3: browser completes the challenge and uploads', () => {
  test('a person’s answer mints one verified session and asks for a reload', async () => {
    const { collect, request, store, sessionId, outcomes, challenge } = aChallengedVisitor();
    const answer = await collect(request);
    expect(answer).toMatchObject({ status: 200, body: body('reload') });
    expect(answer.headers['Cache-Control']).toBe('no-store');
    expect(store.sessions.get(sessionId)).toMatchObject({
      organisation: 'acme',
      state: 'verified',
      reasons: [],
      userAgentHash: hashUserAgent(String(request.headers['user-agent'])),
      network: '198.51.100.0/24',
    });
    expect(outcomes).toEqual([
      expect.objectContaining({
        kind: 'verified',
        organisation: 'acme',
        session: sessionId,
        reference: challenge.reference,
      }),
    ]);
  });

  test('an automated browser is told the same, and remembered as rejected with its reasons', async () => {
    const visitor = aChallengedVisitor('automated/playwright-headless-shell.json');
    expect(await visitor.collect(visitor.request)).toMatchObject({
      status: 200,
      body: body('reload'),
    });
    expect(visitor.store.sessions.get(visitor.sessionId)).toMatchObject({
      state: 'rejected',
      reasons: ['webdriver', 'headless_browser'],
    });
    expect(visitor.outcomes[0]?.kind).toBe('rejected');
  });

  test('a session takes no more memory because its browser sends an agent of 15 KiB', async () => {
    const agent = `Mozilla/5.0 ${'x'.repeat(15_000)}`;
    const { collect, request, store, sessionId } = aChallengedVisitor(
      'automated/playwright-headless-shell.json',
      undefined,
      agent,
    );
    await collect(request);
    expect(JSON.stringify(store.sessions.get(sessionId)).length).toBeLessThan(400);
  });

  test('one solution sent a hundred times at once mints exactly once', async () => {
    const { collect, request, store, outcomes } = aChallengedVisitor();
    const answers = await Promise.all(Array.from({ length: 100 }, () => collect(request)));
    expect(answers.filter((answer) => answer.body === body('reload'))).toHaveLength(1);
    expect(answers.filter((answer) => answer.body === body('retry'))).toHaveLength(99);
    expect(store.kept()).toBe(1);
    const replayed = outcomes.filter(({ reasons }) => reasons[0] === 'challenge_replayed');
    expect(replayed).toHaveLength(99);
  });

  test('a spent ticket cannot wash a rejected session clean', async () => {
    const visitor = aChallengedVisitor('automated/playwright-headful.json');
    await visitor.collect(visitor.request);
    const clean = structuredClone(visitor.upload);
    clean.evidence.readings.webdriver = {
      value: { reported: false, ownProperty: false, nativeGetter: true },
    };
    const second = await visitor.collect({ ...visitor.request, body: JSON.stringify(clean) });
    expect(second.body).toBe(body('retry'));
    expect(visitor.store.sessions.get(visitor.sessionId)?.state).toBe('rejected');
  });
});

describe('contract 3: the caller drops the returned cookies', () => {
  test('fails closed with interstitial_no_session, and the page is told of it', async () => {
    const { collect, request, upload, store, outcomes } = aChallengedVisitor();
    const answer = await collect({ ...request, body: JSON.stringify({ ...upload, session: '' }) });
    expect(answer).toMatchObject({ status: 200, body: body('no_session') });
    expect(outcomes[0]).toMatchObject({ kind: 'failed', reasons: ['interstitial_no_session'] });
    expect(store.kept()).toBe(0);
  });

  test('a session that is not the ticket’s (another tab’s) mints nothing and starts afresh', async () => {
    const { collect, request, upload, store } = aChallengedVisitor();
    const other = { ...upload, session: randomUUID() };
    const answer = await collect({ ...request, body: JSON.stringify(other) });
    expect(answer.body).toBe(body('retry'));
    expect(store.kept()).toBe(0);
  });
});

describe('contract 2.2, challenge_failure: answers that are no answers', () => {
  test('another User-Agent than the challenged one mints nothing', async () => {
    const { collect, request, store, outcomes } = aChallengedVisitor();
    const headers = { ...request.headers, 'user-agent': 'Mozilla/5.0 (somebody else)' };
    expect((await collect({ ...request, headers })).body).toBe(body('failed'));
    expect(outcomes[0]?.reasons).toEqual(['challenge_invalid']);
    expect(store.kept()).toBe(0);
  });

  test('an answer after the ticket’s end is challenge_expired, and the page gets a fresh one', async () => {
    const { collect, request, store, time, outcomes } = aChallengedVisitor();
    time.nowMs += 11 * 60_000;
    expect((await collect(request)).body).toBe(body('retry'));
    expect(outcomes[0]).toMatchObject({ organisation: 'acme', reasons: ['challenge_expired'] });
    expect(store.kept()).toBe(0);
  });

  test('nothing the upload adds moves organisation, expiry or anything else of the ticket', async () => {
    const { collect, request, upload, store } = aChallengedVisitor();
    const wider = { ...upload, organisation: 'evil', expiresAt: 9e15 };
    expect(await collect({ ...request, body: JSON.stringify(wider) })).toMatchObject({
      status: 400,
      body: body('retry'),
    });
    expect(store.kept()).toBe(0);
  });

  test('a ticket of ours in the form of another version is answered with a reload, junk is not', async () => {
    const { collect, request, upload } = aChallengedVisitor();
    const sealer = createSealer(SECRETS, 'ticket');
    const fields = writeFields(['4', 'of', 'a', 'later', 'version']);
    const ticket = Buffer.concat([sealer.seal([fields], 32), fields]).toString('base64url');
    const later = await collect({ ...request, body: JSON.stringify({ ...upload, ticket }) });
    expect(later.body).toBe(body('retry'));
    const { evidence, ...others } = upload;
    const readings = { ...evidence.readings, ofALaterVersion: { value: 1 } };
    const form = JSON.stringify({ ...others, evidence: { ...evidence, readings } });
    expect((await collect({ ...request, body: form })).body).toBe(body('retry'));
    const junk = await collect({ ...request, body: JSON.stringify({ ticket: 'x' }) });
    expect(junk.body).toBe(body('failed'));
  });

  test('2,000 mutilated bodies: none throws, none mints without this very ticket and session', async () => {
    const seed = randomInt(2 ** 31);
    console.log(`collector fuzz seed ${seed}`);
    const random = seededRandom(seed).below;
    let visitor = aChallengedVisitor();
    for (let round = 0; round < 2000; round += 1) {
      const { request, collect, store } = visitor;
      const mutilated = mutilate(request.body, random);
      const answer = await collect({ ...request, body: mutilated });
      expect([200, 400, 413], `seed ${seed}`).toContain(answer.status);
      if (store.kept() === 0) continue;
      // Only the evidence was touched, and within its form: that is an answer like any other.
      expect(sameTicketAndSession(mutilated, request.body), `seed ${seed}`).toBe(true);
      visitor = aChallengedVisitor();
    }
  });
});

describe('the edge of POST /verify', () => {
  test.each([
    ['another path', { path: '/elsewhere' }, 404],
    ['another method', { method: 'GET' }, 405],
    ['a body that is not JSON', { body: '{"ticket"' }, 400],
    ['an empty body', { body: '' }, 400],
    ['a body above 64 KiB', { body: ' '.repeat(64 * 1024 + 1) }, 413],
    ['a type that needs no preflight', { headers: { 'content-type': 'text/plain' } }, 415],
  ])('%s', async (_name, change, status) => {
    const { collect, request, store } = aChallengedVisitor();
    expect((await collect({ ...request, ...change })).status).toBe(status);
    expect(store.kept()).toBe(0);
  });

  test('CORS is answered on another host than the page’s, and not on its own', async () => {
    const { collect, request } = aChallengedVisitor();
    const preflight = (host: string) =>
      collect({
        ...request,
        method: 'OPTIONS',
        headers: { origin: 'https://shop.example', host },
      });
    const elsewhere = await preflight('collector.example');
    expect(elsewhere.status).toBe(204);
    expect(elsewhere.headers['Access-Control-Allow-Origin']).toBe('https://shop.example');
    expect(elsewhere.headers['Access-Control-Allow-Credentials']).toBeUndefined();
    const own = await preflight('shop.example');
    expect(own.headers['Access-Control-Allow-Origin']).toBeUndefined();
    expect(own.headers['Access-Control-Allow-Methods']).toBeUndefined();
  });

  test.each(['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:3000'])(
    'CORS is answered to a page of the visitor’s own machine: %s',
    (origin) => {
      const { request } = aChallengedVisitor();
      const headers = { origin, host: 'collector.example' };
      const cors = corsHeaders({ ...request, headers }, () => false);
      expect(cors['Access-Control-Allow-Origin']).toBe(origin);
    },
  );

  test('a session store that is away is a 503, which the page retries; nothing rejects', async () => {
    const visitor = aChallengedVisitor();
    const outcomes: string[] = [];
    const collect = createCollector({
      secrets: SECRETS,
      store: { ...visitor.store, spend: () => Promise.reject(new Error('connection refused')) },
      clock: () => visitor.time.nowMs,
      sessionTtlMs: 1000,
      rejectedTtlMs: 1000,
      currentRuleSet: () => TERMS.ruleSet,
      priceOf: () => undefined,
      strengthsOf: () => USUAL,
      allowedOrigin: () => true,
      countryOf: () => undefined,
      signalsOf: () => [],
      report: ({ kind }) => outcomes.push(kind),
    });
    expect(await collect(visitor.request)).toMatchObject({ status: 503, body: body('retry') });
    expect(outcomes).toEqual(['unavailable']);
  });
});

describe('a page that says it is left (challenge_abandoned)', () => {
  const leave = <Request extends object>(request: Request, ticket: string) => ({
    ...request,
    body: JSON.stringify({ ticket, left: true }),
  });

  test('is heard once for each ticket, and the visitor may still pass', async () => {
    const { collect, outcomes, request, upload } = aChallengedVisitor();
    for (let time = 0; time < 3; time += 1) await collect(leave(request, upload.ticket));
    const named = outcomes.filter((outcome) => 'organisation' in outcome);
    expect(named).toMatchObject([{ kind: 'left', reasons: ['challenge_abandoned'] }]);
    expect((await collect(request)).body).toBe(body('reload'));
  });

  test('names nobody with a ticket that was never issued, or ran out', async () => {
    const { collect, outcomes, request, time, upload } = aChallengedVisitor();
    await collect(leave(request, `${upload.ticket.slice(0, -1)}_`));
    time.nowMs += 601_000;
    await collect(leave(request, upload.ticket));
    expect(outcomes.filter((outcome) => 'organisation' in outcome)).toEqual([]);
  });
});

describe('a visitor whose network changes between challenge and answer', () => {
  test.each([
    ['stays', '198.51.100.99', '198.51.100.0/24'],
    ['moves within IPv4: the new network is kept', '203.0.113.5', '203.0.113.0/24'],
    ['answers over IPv6: the challenged network is kept', '2001:db8::1', '198.51.100.0/24'],
  ])('%s', async (_name, ip, network) => {
    const { collect, request, store, sessionId } = aChallengedVisitor();
    expect((await collect({ ...request, ip })).body).toBe(body('reload'));
    expect(store.sessions.get(sessionId)?.network).toBe(network);
  });
});

function mutilate(text: string, random: (below: number) => number): string {
  const at = random(text.length);
  const letter = String.fromCharCode(random(random(10) === 0 ? 0x3000 : 127));
  switch (random(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random(40));
    case 2:
      return text.slice(0, at) + letter + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + text.slice(random(text.length));
    default:
      return Array.from({ length: random(200) }, () => String.fromCharCode(random(256))).join('');
  }
}

function sameTicketAndSession(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => JSON.parse(text) as Record<string, unknown>);
  return a?.['ticket'] === b?.['ticket'] && a?.['session'] === b?.['session'];
}
