import { describe, expect, test } from 'vitest';
import { payloadDigest } from './payload-digest.ts';
import { answerTicket } from '../testing/answers.ts';
import { readFixture } from '../testing/challenged-visitor.ts';

describe('contract 2.2, challenge_failure, payload variants: the digest of a payload', () => {
  const { evidence } = readFixture('human/safari-iphone.json');

  test('does not depend on the answers to a ticket', () => {
    const firstAnswers = answerTicket(evidence, 'one');
    const secondAnswers = {
      ...answerTicket(evidence, 'other'),
      startedAtMs: firstAnswers.startedAtMs,
    };
    expect(payloadDigest(secondAnswers)).toBe(payloadDigest(firstAnswers));
  });

  test('does not depend on the order of entries', () => {
    const entries = Object.entries(evidence.tookMs).reverse();
    const tookMs = Object.fromEntries(entries) as typeof evidence.tookMs;
    expect(payloadDigest({ ...evidence, tookMs })).toBe(payloadDigest(evidence));
  });

  test('differs between identical devices, because their documents started at different times', () => {
    const later = { ...evidence, startedAtMs: evidence.startedAtMs + 1 };
    expect(payloadDigest(later)).not.toBe(payloadDigest(evidence));
  });

  test('differs between documents that started at the same time, when one source took longer', () => {
    const slower = { ...evidence, tookMs: { ...evidence.tookMs, worker: 61.3 } };
    expect(payloadDigest(slower)).not.toBe(payloadDigest(evidence));
    const longer = { ...evidence, totalMs: evidence.totalMs + 0.1 };
    expect(payloadDigest(longer)).not.toBe(payloadDigest(evidence));
  });
});
