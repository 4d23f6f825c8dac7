import { sessionDigest } from '@guard/config/contract/session-digest';
import { expect, test } from 'vitest';
import { describeUpload } from './challenge-event.ts';
import { USUAL } from './testing/answers.ts';

const sent = { ip: '198.51.100.7', userAgent: 'Mozilla/5.0' };
const subject = { organisation: 'acme', session: 's', reference: 'K7QM2X9D' };

test('contract 3, "a support reference code": the event of a failed upload contains the code', () => {
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

test('contract 3, "session storage unavailable": the event has the code, and does not block the visitor', () => {
  const outcome = { ...sent, ...subject, kind: 'unavailable', reasons: [] } as const;
  expect(describeUpload(outcome, 1_800_000_000_000, () => USUAL)).toMatchObject({
    reference: 'K7QM2X9D',
    action: 'challenge',
    decision: 'none',
    challenge: 'failed',
    blockReasons: [],
  });
});

test('an upload without an organisation of this installation makes no event, so no client can fill the table', () => {
  for (const outcome of [
    { ...sent, kind: 'failed', reasons: ['challenge_invalid'] },
    { ...sent, kind: 'unavailable', reasons: [] },
    { ...sent, kind: 'limited', reasons: [] },
    { ...sent, ...subject, kind: 'verified', reasons: [], noted: [] },
  ] as const) {
    expect(describeUpload(outcome, 0, () => USUAL)).toBeUndefined();
  }
});

test('the event of a person who passed names findings that changed nothing, with their points', () => {
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
