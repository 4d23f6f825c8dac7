import { describe, expect, test } from 'vitest';
import { answerTicket } from '../testing/answers.ts';
import { aChallengedVisitor } from '../testing/challenged-visitor.ts';

describe('17.3 questions that are learned: at the collector', () => {
  /** One collector and its visitors. Each visit has its own ticket. */
  function createVisits() {
    const { collect, outcomes } = aChallengedVisitor();
    return async (ip: string, change: (hash: number | null) => number | null = (hash) => hash) => {
      const { request, upload: visitorUpload } = aChallengedVisitor();
      const evidence = answerTicket(visitorUpload.evidence, visitorUpload.ticket);
      const { answers } = evidence.readings;
      if (!('value' in answers)) throw new Error('the visitor answers');
      const value = { ...answers.value, hashes: answers.value.hashes.map(change) };
      const changed = { ...evidence, readings: { ...evidence.readings, answers: { value } } };
      const body = JSON.stringify({ ...visitorUpload, evidence: changed });
      await collect({ ...request, ip, body });
      return outcomes.at(-1);
    };
  }

  test('a visitor without answers gets no session', async () => {
    const visit = createVisits();
    const incomplete = { kind: 'failed', reasons: ['challenge_incomplete'] };
    expect(await visit('198.51.100.7', () => null)).toMatchObject(incomplete);
  });

  test('answers_rare: a visitor whose answers differ from those of earlier people passes, and the finding is recorded', async () => {
    const visit = createVisits();
    const changeHash = (hash: number | null) => ((hash ?? 0) ^ 1) >>> 0;
    expect(await visit('203.0.113.1', changeHash)).toMatchObject({ kind: 'verified', noted: [] });
    for (let network = 0; network < 60; network++) await visit(`10.0.${network}.1`);
    expect(await visit('10.1.0.1')).toMatchObject({ kind: 'verified', noted: [] });
    const noted = { kind: 'verified', reasons: [], noted: ['answers_rare'] };
    expect(await visit('10.2.0.1', changeHash)).toMatchObject(noted);
  });
});
