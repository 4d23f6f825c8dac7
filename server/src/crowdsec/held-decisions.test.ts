import { expect, test } from 'vitest';
import { HeldDecisions, type TypedDecision } from './held-decisions.ts';

const decisionUntil = (value: string, until = 1_000, type = 'ban'): TypedDecision => ({
  ...{ type, scope: 'network', value, until },
});
const changesOf = (added: readonly TypedDecision[], removed: readonly TypedDecision[] = []) => ({
  ...{ isWhole: false, added, removed },
});

test('the end of a decision is passed on once, also when it comes late, so no thread keeps the decision for ever', () => {
  const heldDecisions = new HeldDecisions(10);
  heldDecisions.apply(changesOf([decisionUntil('203.0.113.1', 0)]));
  const { applied } = heldDecisions.apply(changesOf([], [decisionUntil('203.0.113.1', -5)]));
  expect(applied?.removed.map(({ value }) => value)).toEqual(['203.0.113.1']);
  expect(
    heldDecisions.apply(changesOf([], [decisionUntil('203.0.113.1', -9)])).applied,
  ).toBeUndefined();
  expect(heldDecisions.size).toBe(0);
});

test('the end of a decision does not remove a new decision in the same answer', () => {
  const heldDecisions = new HeldDecisions(10);
  heldDecisions.apply(changesOf([decisionUntil('203.0.113.1')]));
  const { applied } = heldDecisions.apply(
    changesOf([decisionUntil('203.0.113.1', 2_000)], [decisionUntil('203.0.113.1', -5)]),
  );
  expect([applied?.added.map(({ until }) => until), applied?.removed]).toEqual([[2_000], []]);
});

test('a value stays on the list until its decisions of all types have ended', () => {
  const heldDecisions = new HeldDecisions(10);
  const endsOf = (changes: ReturnType<typeof heldDecisions.apply>['applied']) =>
    changes && [changes.added.map(({ until }) => until), changes.removed.length];
  const captcha = decisionUntil('a', 3_000, 'captcha');
  expect(endsOf(heldDecisions.apply(changesOf([decisionUntil('a')])).applied)).toEqual([
    [1_000],
    0,
  ]);
  expect(endsOf(heldDecisions.apply(changesOf([captcha])).applied)).toEqual([[3_000], 0]);
  expect(
    endsOf(heldDecisions.apply(changesOf([decisionUntil('a', 2_000)])).applied),
  ).toBeUndefined();
  expect(endsOf(heldDecisions.apply(changesOf([], [captcha])).applied)).toEqual([[2_000], 0]);
  expect(endsOf(heldDecisions.apply(changesOf([], [decisionUntil('a')])).applied)).toEqual([[], 1]);
});

test('above the limit new decisions are dropped and counted, but known decisions can still change', () => {
  const heldDecisions = new HeldDecisions(2);
  const { applied, leftOut } = heldDecisions.apply(
    changesOf(['a', 'b', 'c'].map((value) => decisionUntil(value))),
  );
  expect([applied?.added.length, leftOut, heldDecisions.size]).toEqual([2, 1, 2]);
  expect(heldDecisions.apply(changesOf([decisionUntil('b', 2_000)])).leftOut).toBe(0);
  expect(heldDecisions.apply(changesOf([decisionUntil('b', 2_000, 'captcha')])).leftOut).toBe(1);
  expect(heldDecisions.apply(changesOf([decisionUntil('c')], [decisionUntil('a')])).leftOut).toBe(
    0,
  );
});

test('a whole list replaces the list before it', () => {
  const heldDecisions = new HeldDecisions(10);
  heldDecisions.apply(changesOf([decisionUntil('a'), decisionUntil('b')]));
  heldDecisions.apply({ isWhole: true, added: [decisionUntil('c')], removed: [] });
  expect(heldDecisions.current(0).map(({ value }) => value)).toEqual(['c']);
});
