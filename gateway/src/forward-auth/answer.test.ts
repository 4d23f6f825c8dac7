import { expect, test } from 'vitest';
import { HeldAnswers } from './answer.ts';

const LIMITS = { heldAnswers: 3, heldBytes: 100, heldMs: 1_000 };
const answerOf = (bytes: number) => ({ status: 403, fields: [], body: Buffer.alloc(bytes) });

test('an answer can be taken once', () => {
  const held = new HeldAnswers(() => 0, LIMITS);
  const answer = answerOf(1);
  const id = held.keep(answer);
  expect(held.take(id)).toBe(answer);
  expect(held.take(id)).toBeUndefined();
  expect(held.take('no such name')).toBeUndefined();
});

test('an answer expires after heldMs', () => {
  let now = 500;
  const held = new HeldAnswers(() => now, LIMITS);
  const [inTime, late] = [held.keep(answerOf(1)), held.keep(answerOf(1))];
  now += 1_000;
  expect(held.take(inTime)).toBeDefined();
  now += 1;
  expect(held.take(late)).toBeUndefined();
});

test.each([
  ['more than heldAnswers', [1, 1, 1, 1], [false, true, true, true]],
  ['more than heldBytes', [60, 30, 20], [false, true, true]],
])('with %s the oldest answers are dropped', (_what, sizes, there) => {
  const held = new HeldAnswers(() => 0, LIMITS);
  const ids = sizes.map((bytes) => held.keep(answerOf(bytes)));
  expect(ids.map((id) => held.take(id) !== undefined)).toEqual(there);
});

test('an answer above the bound is not kept, and no other is dropped for it', () => {
  const held = new HeldAnswers(() => 0, LIMITS);
  const [small, large] = [held.keep(answerOf(10)), held.keep(answerOf(101))];
  expect(held.take(small)).toBeDefined();
  expect(held.take(large)).toBeUndefined();
});

test('an answer that was taken makes room', () => {
  const held = new HeldAnswers(() => 0, LIMITS);
  for (let round = 0; round < 10; round++) {
    const id = held.keep(answerOf(90));
    expect(held.take(id)).toBeDefined();
  }
});
