import { sessionDigest } from '@guard/config/contract/session-digest';
import { expect, test } from 'vitest';
import { describeUpload } from './challenge-event.ts';
import { USUAL } from './testing/answers.ts';

const sent = { ip: '198.51.100.7', userAgent: 'Mozilla/5.0' };
const subject = { organisation: 'acme', session: 's', reference: 'K7QM2X9D' };

test('contract 3, "a support reference code": a failed upload is an event that has it', () => {
  const outcome = { ...sent, ...subject, kind: 'failed', reasons: ['challenge_expired'] } as const;
  expect(describeUpload(outcome, 1_800_000_000_000, () => USUAL)).toMatchObject({
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

test('contract 3, "session storage unavailable": an event that blames no visitor, with the same code', () => {
  const outcome = { ...sent, ...subject, kind: 'unavailable', reasons: [] } as const;
  expect(describeUpload(outcome, 1_800_000_000_000, () => USUAL)).toMatchObject({
    reference: 'K7QM2X9D',
    action: 'challenge',
    decision: 'none',
    challenge: 'failed',
    blockReasons: [],
  });
});

test('what names no organisation of ours is no event: anybody could fill the table with it', () => {
  for (const outcome of [
    { ...sent, kind: 'failed', reasons: ['challenge_invalid'] },
    { ...sent, kind: 'unavailable', reasons: [] },
    { ...sent, kind: 'limited', reasons: [] },
    { ...sent, ...subject, kind: 'verified', reasons: [], noted: [] },
  ] as const) {
    expect(describeUpload(outcome, 0, () => USUAL)).toBeUndefined();
  }
});

test('a person who passes with a finding that came to nothing: an event names it beside its points', () => {
  const noted = ['debugger_attached', 'time_zone_elsewhere'] as const;
  const outcome = { ...sent, ...subject, kind: 'verified', reasons: [], noted } as const;
  expect(describeUpload(outcome, 0, () => USUAL)).toMatchObject({
    action: 'allow',
    challenge: 'verified',
    blockReasons: [],
    findings: noted,
    findingPoints: [1, 0],
  });
});
