import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { hashUserAgent } from '../request/user-agent-hash.ts';
import { corsHeaders } from './cors.ts';
import { createSealer } from '../session/sealer.ts';
import { writeFields } from './tickets/ticket-fields.ts';
import { aChallengedVisitor, SECRETS } from './testing/challenged-visitor.ts';

const resultBody = (result: string) => JSON.stringify({ result });

describe('contract 3: the browser completes the challenge and uploads', () => {
  test('the upload of a person creates one verified session, and the answer asks for a reload', async () => {
    const { collect, request, store, sessionId, outcomes, challenge } = aChallengedVisitor();
    const answer = await collect(request);
    expect(answer).toMatchObject({ status: 200, body: resultBody('reload') });
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

  test('an automated browser gets the same answer, and its session is rejected with its reasons', async () => {
    const visitor = aChallengedVisitor('automated/playwright-headless-shell.json');
    const answer = await visitor.collect(visitor.request);
    expect(answer).toMatchObject({ status: 200, body: resultBody('reload') });
    expect(visitor.store.sessions.get(visitor.sessionId)).toMatchObject({
      state: 'rejected',
      reasons: ['webdriver', 'headless_browser'],
    });
    expect(visitor.outcomes[0]?.kind).toBe('rejected');
  });

  test('a User-Agent of 15 KiB does not make the stored session larger', async () => {
    const agent = `Mozilla/5.0 ${'x'.repeat(15_000)}`;
    const recording = 'automated/playwright-headless-shell.json';
    const { collect, request, store, sessionId } = aChallengedVisitor(recording, undefined, agent);
    await collect(request);
    expect(JSON.stringify(store.sessions.get(sessionId)).length).toBeLessThan(400);
  });

  test('one solution sent a hundred times at once creates exactly one session', async () => {
    const { collect, request, store, outcomes } = aChallengedVisitor();
    const answers = await Promise.all(Array.from({ length: 100 }, () => collect(request)));
    expect(answers.filter((answer) => answer.body === resultBody('reload'))).toHaveLength(1);
    expect(answers.filter((answer) => answer.body === resultBody('retry'))).toHaveLength(99);
    expect(store.storedCount()).toBe(1);
    const replayed = outcomes.filter(({ reasons }) => reasons[0] === 'challenge_replayed');
    expect(replayed).toHaveLength(99);
  });

  test('a second upload with the same ticket cannot change a rejected session', async () => {
    const visitor = aChallengedVisitor('automated/playwright-headful.json');
    await visitor.collect(visitor.request);
    const cleanUpload = structuredClone(visitor.upload);
    cleanUpload.evidence.readings.webdriver = {
      value: { reported: false, ownProperty: false, nativeGetter: true },
    };
    const secondAnswer = await visitor.collect({
      ...visitor.request,
      body: JSON.stringify(cleanUpload),
    });
    expect(secondAnswer.body).toBe(resultBody('retry'));
    expect(visitor.store.sessions.get(visitor.sessionId)?.state).toBe('rejected');
  });
});

describe('contract 3: the caller drops the returned cookies', () => {
  test('the upload fails with interstitial_no_session, and the page gets this result', async () => {
    const { collect, request, upload, store, outcomes } = aChallengedVisitor();
    const answer = await collect({ ...request, body: JSON.stringify({ ...upload, session: '' }) });
    expect(answer).toMatchObject({ status: 200, body: resultBody('no_session') });
    expect(outcomes[0]).toMatchObject({ kind: 'failed', reasons: ['interstitial_no_session'] });
    expect(store.storedCount()).toBe(0);
  });

  test('an upload with the session of another tab creates no session, and the page starts again', async () => {
    const { collect, request, upload, store } = aChallengedVisitor();
    const uploadOfAnotherTab = { ...upload, session: randomUUID() };
    const answer = await collect({ ...request, body: JSON.stringify(uploadOfAnotherTab) });
    expect(answer.body).toBe(resultBody('retry'));
    expect(store.storedCount()).toBe(0);
  });
});

describe('contract 2.2, challenge_failure: invalid answers', () => {
  test('an upload whose User-Agent is not that of the challenged request creates no session, and the page starts again', async () => {
    const { collect, request, store, outcomes } = aChallengedVisitor();
    const headers = { ...request.headers, 'user-agent': 'Mozilla/5.0 (somebody else)' };
    expect((await collect({ ...request, headers })).body).toBe(resultBody('retry'));
    expect(outcomes[0]?.reasons).toEqual(['challenge_invalid']);
    expect(store.storedCount()).toBe(0);
  });

  test('an upload after the expiry of its ticket is challenge_expired, and the page gets a new ticket', async () => {
    const { collect, request, store, time, outcomes } = aChallengedVisitor();
    time.nowMs += 11 * 60_000;
    expect((await collect(request)).body).toBe(resultBody('retry'));
    expect(outcomes[0]).toMatchObject({ organisation: 'acme', reasons: ['challenge_expired'] });
    expect(store.storedCount()).toBe(0);
  });

  test('additional fields of an upload cannot change the organisation or the expiry of the ticket', async () => {
    const { collect, request, upload, store } = aChallengedVisitor();
    const uploadWithMoreFields = { ...upload, organisation: 'evil', expiresAt: 9e15 };
    expect(await collect({ ...request, body: JSON.stringify(uploadWithMoreFields) })).toMatchObject(
      {
        status: 400,
        body: resultBody('retry'),
      },
    );
    expect(store.storedCount()).toBe(0);
  });

  test('an authentic ticket or upload of another version gets a reload, and an invalid ticket or upload does not', async () => {
    const { collect, request, upload } = aChallengedVisitor();
    const sealer = createSealer(SECRETS, 'ticket');
    const fields = writeFields(['4', 'of', 'a', 'later', 'version']);
    const ticket = Buffer.concat([sealer.seal([fields], 32), fields]).toString('base64url');
    const answerToLaterTicket = await collect({
      ...request,
      body: JSON.stringify({ ...upload, ticket }),
    });
    expect(answerToLaterTicket.body).toBe(resultBody('retry'));
    const { evidence, ...uploadWithoutEvidence } = upload;
    const readings = { ...evidence.readings, ofALaterVersion: { value: 1 } };
    const laterUpload = JSON.stringify({
      ...uploadWithoutEvidence,
      evidence: { ...evidence, readings },
    });
    expect((await collect({ ...request, body: laterUpload })).body).toBe(resultBody('retry'));
    const answerToInvalidTicket = await collect({
      ...request,
      body: JSON.stringify({ ticket: 'x' }),
    });
    expect(answerToInvalidTicket.body).toBe(resultBody('failed'));
  });

  test('2,000 damaged bodies cause no error, and none creates a session unless its ticket and session are undamaged', async () => {
    const seed = randomInt(2 ** 31);
    console.log(`collector fuzz seed ${seed}`);
    const random = seededRandom(seed).below;
    let visitor = aChallengedVisitor();
    for (let round = 0; round < 2000; round += 1) {
      const { request, collect, store } = visitor;
      const damagedBody = damage(request.body, random);
      const answer = await collect({ ...request, body: damagedBody });
      expect([200, 400, 413], `seed ${seed}`).toContain(answer.status);
      if (store.storedCount() === 0) continue;
      // A damaged body can be valid only when its damage is in the evidence, and the evidence still has a valid form.
      expect(sameTicketAndSession(damagedBody, request.body), `seed ${seed}`).toBe(true);
      visitor = aChallengedVisitor();
    }
  });
});

describe('POST /verify', () => {
  test.each([
    ['another path', { path: '/elsewhere' }, 404],
    ['another method', { method: 'GET' }, 405],
    ['a body that is not JSON', { body: '{"ticket"' }, 400],
    ['an empty body', { body: '' }, 400],
    ['a body above 64 KiB', { body: ' '.repeat(64 * 1024 + 1) }, 413],
    ['a content type that needs no preflight', { headers: { 'content-type': 'text/plain' } }, 415],
  ])('%s', async (_name, change, status) => {
    const { collect, request, store } = aChallengedVisitor();
    expect((await collect({ ...request, ...change })).status).toBe(status);
    expect(store.storedCount()).toBe(0);
  });

  test('a collector on another host than the page sends CORS headers, and a collector on the same host does not', async () => {
    const { collect, request } = aChallengedVisitor();
    const origin = 'https://shop.example';
    const preflight = (host: string) =>
      collect({ ...request, method: 'OPTIONS', headers: { origin, host } });
    const otherHostAnswer = await preflight('collector.example');
    expect(otherHostAnswer.status).toBe(204);
    expect(otherHostAnswer.headers['Access-Control-Allow-Origin']).toBe(origin);
    expect(otherHostAnswer.headers['Access-Control-Allow-Credentials']).toBeUndefined();
    const sameHostAnswer = await preflight('shop.example');
    expect(sameHostAnswer.headers['Access-Control-Allow-Origin']).toBeUndefined();
    expect(sameHostAnswer.headers['Access-Control-Allow-Methods']).toBeUndefined();
  });

  test.each(['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:3000'])(
    'the collector sends CORS headers to a page on the visitor’s own machine: %s',
    (origin) => {
      const { request } = aChallengedVisitor();
      const headers = { origin, host: 'collector.example' };
      const cors = corsHeaders({ ...request, headers }, () => false);
      expect(cors['Access-Control-Allow-Origin']).toBe(origin);
    },
  );

  test('while the session store is away, the answer is 503, and the page retries', async () => {
    const { collect, outcomes, request, store } = aChallengedVisitor();
    Object.assign(store, { spend: () => Promise.reject(new Error('connection refused')) });
    expect(await collect(request)).toMatchObject({ status: 503, body: resultBody('retry') });
    expect(outcomes).toMatchObject([{ kind: 'unavailable' }]);
  });
});

describe('a page that reports that its visitor left (challenge_abandoned)', () => {
  const reportOfLeaving = <Request extends object>(request: Request, ticket: string) => ({
    ...request,
    body: JSON.stringify({ ticket, left: true }),
  });

  test('is counted once for each ticket, and the visitor can still pass', async () => {
    const { collect, outcomes, request, upload } = aChallengedVisitor();
    for (let time = 0; time < 3; time += 1) await collect(reportOfLeaving(request, upload.ticket));
    const outcomesOfTickets = outcomes.filter((outcome) => 'organisation' in outcome);
    expect(outcomesOfTickets).toMatchObject([{ kind: 'left', reasons: ['challenge_abandoned'] }]);
    expect((await collect(request)).body).toBe(resultBody('reload'));
  });

  test('has no effect with an expired ticket, or with a ticket that was never issued', async () => {
    const { collect, outcomes, request, time, upload } = aChallengedVisitor();
    await collect(reportOfLeaving(request, `${upload.ticket.slice(0, -1)}_`));
    time.nowMs += 601_000;
    await collect(reportOfLeaving(request, upload.ticket));
    expect(outcomes.filter((outcome) => 'organisation' in outcome)).toEqual([]);
  });
});

describe('a visitor whose network changes between challenge and answer', () => {
  test.each([
    ['stays', '198.51.100.99', '198.51.100.0/24'],
    ['changes to another IPv4 network: the new network is kept', '203.0.113.5', '203.0.113.0/24'],
    ['answers over IPv6: the challenged network is kept', '2001:db8::1', '198.51.100.0/24'],
  ])('%s', async (_name, ip, network) => {
    const { collect, request, store, sessionId } = aChallengedVisitor();
    expect((await collect({ ...request, ip })).body).toBe(resultBody('reload'));
    expect(store.sessions.get(sessionId)?.network).toBe(network);
  });
});

function damage(text: string, random: (below: number) => number): string {
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

function sameTicketAndSession(first: string, second: string): boolean {
  const [a, b] = [first, second].map((text) => JSON.parse(text) as Record<string, unknown>);
  return a?.['ticket'] === b?.['ticket'] && a?.['session'] === b?.['session'];
}
