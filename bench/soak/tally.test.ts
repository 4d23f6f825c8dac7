import { describe, expect, test } from 'vitest';
import { knownBody } from './known-body.ts';
import { type Answer, createTally, judge } from './tally.ts';

const body = knownBody(7);
const rightAnswer: Answer = { kind: 'whole', status: 200, body, newSession: false };
const CUT_OFF: Answer = { kind: 'cut off' };

describe('wrong answers of a soak', () => {
  test('are: the body of another request, and a part of the right body', () => {
    expect(judge(rightAnswer, body, true)).toEqual({ kind: 'right' });
    for (const other of [knownBody(8), knownBody(57), body.subarray(1), body.subarray(0, -1)]) {
      expect(judge({ ...rightAnswer, body: other }, body, true).kind).toBe('wrong');
    }
  });

  test('are: an unexpected status, and a new session for a visitor who sent a session', () => {
    for (const status of [204, 400, 403, 421, 429, 500]) {
      expect(judge({ ...rightAnswer, status }, body, false).kind, `${status}`).toBe('wrong');
    }
    expect(judge({ ...rightAnswer, newSession: true }, body, true).kind).toBe('wrong');
  });

  test('are: an error of the origin, and a truncated body, but only while every origin was running', () => {
    for (const answer of [
      CUT_OFF,
      ...[502, 503, 504].map((status) => ({ ...rightAnswer, status })),
    ]) {
      expect(judge(answer, body, false).kind).toBe('origin away');
      expect(judge(answer, body, true).kind).toBe('wrong');
    }
  });
});

test('a tally counts each outcome; notes are neither right nor wrong', () => {
  const tally = createTally();
  tally.add(judge(rightAnswer, body, true));
  tally.add(judge(CUT_OFF, body, true));
  tally.add(judge(CUT_OFF, body, false));
  tally.note('reloads asked for');
  expect([tally.right, tally.wrong]).toEqual([1, 1]);
  expect(Object.fromEntries(tally.counts)).toEqual({
    right: 1,
    'wrong: cut off while every origin was up': 1,
    'origin away: cut off': 1,
    'reloads asked for': 1,
  });
});
