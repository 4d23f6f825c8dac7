import { expect, test } from 'vitest';
import { HeldAnswers } from './answer.ts';

const LIMITS = { heldAnswers: 3, heldBytes: 100, heldMs: 1_000 };
const answerOf = (bytes: number) => ({ status: 403, fields: [], body: Buffer.alloc(bytes) });

test('an answer can be fetched once', () => {
  const heldAnswers = new HeldAnswers(() => 0, LIMITS);
  const answer = answerOf(1);
  const id = heldAnswers.keep(answer);
  expect(heldAnswers.take(id)).toBe(answer);
  expect(heldAnswers.take(id)).toBeUndefined();
  expect(heldAnswers.take('no such name')).toBeUndefined();
});

test('an answer expires after heldMs', () => {
  let now = 500;
  const heldAnswers = new HeldAnswers(() => now, LIMITS);
  const [inTime, late] = [heldAnswers.keep(answerOf(1)), heldAnswers.keep(answerOf(1))];
  now += 1_000;
  expect(heldAnswers.take(inTime)).toBeDefined();
  now += 1;
  expect(heldAnswers.take(late)).toBeUndefined();
});

test.each([
  ['more than heldAnswers', [1, 1, 1, 1], [false, true, true, true]],
  ['more than heldBytes', [60, 30, 20], [false, true, true]],
])('with %s the oldest answers are dropped', (_what, sizes, stillHeld) => {
  const heldAnswers = new HeldAnswers(() => 0, LIMITS);
  const ids = sizes.map((bytes) => heldAnswers.keep(answerOf(bytes)));
  expect(ids.map((id) => heldAnswers.take(id) !== undefined)).toEqual(stillHeld);
});

test('an answer above the bound is not kept, and no other answer is dropped for it', () => {
  const heldAnswers = new HeldAnswers(() => 0, LIMITS);
  const [small, large] = [heldAnswers.keep(answerOf(10)), heldAnswers.keep(answerOf(101))];
  expect(heldAnswers.take(small)).toBeDefined();
  expect(heldAnswers.take(large)).toBeUndefined();
});

test('an answer that was fetched makes room for another one', () => {
  const heldAnswers = new HeldAnswers(() => 0, LIMITS);
  for (let round = 0; round < 10; round++) {
    const id = heldAnswers.keep(answerOf(90));
    expect(heldAnswers.take(id)).toBeDefined();
  }
});
