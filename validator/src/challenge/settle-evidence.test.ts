import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { answerTicket } from './testing/answers.ts';
import { aChallengedVisitor } from './testing/challenged-visitor.ts';

const resultBody = (result: string) => JSON.stringify({ result });

/** Two visitors of one collector, each with its own ticket and session. */
function twoVisitors() {
  const first = aChallengedVisitor();
  const second = aChallengedVisitor();
  const { startedAtMs } = first.upload.evidence;
  const replayedUpload = {
    ...second.upload,
    evidence: { ...answerTicket(first.upload.evidence, second.upload.ticket), startedAtMs },
  };
  return { first, second, replayedUpload };
}

describe('contract 2.2, challenge_failure, payload variants: evidence at the collector', () => {
  test('challenge_incomplete: an upload without measurements gets no session, and its page starts again', async () => {
    const { collect, request, upload, store, outcomes } = aChallengedVisitor();
    const readings = { ...upload.evidence.readings, cascade: { unread: 'failed' } };
    const incomplete = { ...upload, evidence: { ...upload.evidence, readings } };
    const answer = await collect({ ...request, body: JSON.stringify(incomplete) });
    expect(answer.body).toBe(resultBody('retry'));
    expect(outcomes[0]).toMatchObject({ kind: 'failed', reasons: ['challenge_incomplete'] });
    expect(store.storedCount()).toBe(0);
    // A second try with the same ticket is refused. Otherwise a program could try until its answer is right.
    expect((await collect(request)).body).toBe(resultBody('retry'));
    expect(store.storedCount()).toBe(0);
  });

  test('layout_mismatch: evidence for another ticket is rejected', async () => {
    const { collect, request, upload, store, sessionId } = aChallengedVisitor();
    const evidence = answerTicket(upload.evidence, randomUUID());
    await collect({ ...request, body: JSON.stringify({ ...upload, evidence }) });
    expect(store.sessions.get(sessionId)).toMatchObject({
      state: 'rejected',
      reasons: ['layout_mismatch'],
    });
  });

  test('payload_replayed: a recording is rejected, even when it has the answers to a new ticket', async () => {
    const { first, second, replayedUpload } = twoVisitors();
    await first.collect(first.request);
    expect(first.outcomes[0]?.kind).toBe('verified');
    const replay = { ...second.request, body: JSON.stringify(replayedUpload) };
    await first.collect(replay);
    expect(first.store.sessions.get(second.sessionId)).toMatchObject({
      state: 'rejected',
      reasons: ['payload_replayed'],
    });
  });

  test('two visits of identical browsers are no replay', async () => {
    const { first, second } = twoVisitors();
    await first.collect(first.request);
    await first.collect(second.request);
    expect(first.outcomes.map(({ kind }) => kind)).toEqual(['verified', 'verified']);
  });

  test('no payload_replayed: the page sends its upload again after a lost answer', async () => {
    const { collect, request, outcomes } = aChallengedVisitor();
    await collect(request);
    expect((await collect(request)).body).toBe(resultBody('retry'));
    expect(outcomes[1]?.reasons).toEqual(['challenge_replayed']);
  });

  test('time_zone_elsewhere: the country is that of the upload’s address', async () => {
    const lookedUpAddresses: string[] = [];
    const { collect, request, upload, outcomes } = aChallengedVisitor(
      'human/chrome-windows-office-fonts.json',
      (ip) => {
        lookedUpAddresses.push(ip);
        return 'DE';
      },
    );
    const readings = {
      ...upload.evidence.readings,
      webdriver: { value: { reported: true, ownProperty: false, nativeGetter: true } },
      timezone: { value: { name: 'Asia/Tokyo' } },
    };
    const uploadOfDriver = { ...upload, evidence: { ...upload.evidence, readings } };
    await collect({ ...request, ip: '::ffff:198.51.100.7', body: JSON.stringify(uploadOfDriver) });
    expect(lookedUpAddresses).toEqual(['198.51.100.7']);
    expect(outcomes[0]?.reasons).toEqual(['webdriver', 'time_zone_elsewhere']);
  });
});
