import { sessionDigest } from '@guard/config/contract/session-digest';
import { expect, test } from 'vitest';
import { describeUpload } from './challenge-event.ts';
import { DEFAULT_STRENGTHS } from './testing/answers.ts';

const sender = { ip: '198.51.100.7', userAgent: 'Mozilla/5.0' };
const ticketFacts = { organisation: 'acme', session: 's', reference: 'K7QM2X9D' };

test('contract 3, "a support reference code": the event of a failed upload contains the code', () => {
  const outcome = {
    ...sender,
    ...ticketFacts,
    kind: 'failed',
    reasons: ['challenge_expired'],
  } as const;
  expect(describeUpload(outcome, 1_800_000_000_000, () => DEFAULT_STRENGTHS)).toMatchObject({
    reference: 'K7QM2X9D',
    organisation: 'acme',
    session: sessionDigest('s'),
    action: 'block',
    decision: 'block',
    challenge: 'failed',
    blockReasons: ['challenge_expired'],
    blockReasonCategories: ['challenge_failure'],
  });
});

test('contract 3, "session storage unavailable": the event has the code, and shows a challenge in place of a block', () => {
  const outcome = { ...sender, ...ticketFacts, kind: 'unavailable', reasons: [] } as const;
  expect(describeUpload(outcome, 1_800_000_000_000, () => DEFAULT_STRENGTHS)).toMatchObject({
    reference: 'K7QM2X9D',
    action: 'challenge',
    decision: 'none',
    challenge: 'failed',
    blockReasons: [],
  });
});

test('an upload without an authentic ticket makes no event, because otherwise any client could fill the table', () => {
  for (const outcome of [
    { ...sender, kind: 'failed', reasons: ['challenge_invalid'] },
    { ...sender, kind: 'unavailable', reasons: [] },
    { ...sender, kind: 'limited', reasons: [] },
  ] as const) {
    expect(describeUpload(outcome, 0, () => DEFAULT_STRENGTHS)).toBeUndefined();
  }
});

test('an upload that passes without findings makes no event', () => {
  const outcome = { ...sender, ...ticketFacts, kind: 'verified', reasons: [], noted: [] } as const;
  expect(describeUpload(outcome, 0, () => DEFAULT_STRENGTHS)).toBeUndefined();
});

test('the event of an upload that passes lists findings that did not change the judgement, with their points', () => {
  const noted = ['debugger_attached', 'time_zone_elsewhere'] as const;
  const outcome = { ...sender, ...ticketFacts, kind: 'verified', reasons: [], noted } as const;
  expect(describeUpload(outcome, 0, () => DEFAULT_STRENGTHS)).toMatchObject({
    action: 'allow',
    challenge: 'verified',
    blockReasons: [],
    findings: noted,
    findingPoints: [1, 0],
  });
});
