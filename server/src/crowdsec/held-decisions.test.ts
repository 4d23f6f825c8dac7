import { expect, test } from 'vitest';
import { HeldDecisions, type TypedDecision } from './held-decisions.ts';

const at = (value: string, until = 1_000, type = 'ban'): TypedDecision => ({
  ...{ type, scope: 'network', value, until },
});
const step = (added: readonly TypedDecision[], removed: readonly TypedDecision[] = []) => ({
  ...{ isWhole: false, added, removed },
});

test('an end is passed on once, also when it comes late, so that no thread keeps the decision for ever', () => {
  const held = new HeldDecisions(10);
  held.apply(step([at('203.0.113.1', 0)]));
  const { applied } = held.apply(step([], [at('203.0.113.1', -5)]));
  expect(applied?.removed.map(({ value }) => value)).toEqual(['203.0.113.1']);
  expect(held.apply(step([], [at('203.0.113.1', -9)])).applied).toBeUndefined();
  expect(held.size).toBe(0);
});

test('an end in the same answer as a new decision does not remove the new one', () => {
  const held = new HeldDecisions(10);
  held.apply(step([at('203.0.113.1')]));
  const { applied } = held.apply(step([at('203.0.113.1', 2_000)], [at('203.0.113.1', -5)]));
  expect([applied?.added.map(({ until }) => until), applied?.removed]).toEqual([[2_000], []]);
});

test('a value stays on the list until its decisions of all types have ended', () => {
  const held = new HeldDecisions(10);
  const untils = (applied: ReturnType<typeof held.apply>['applied']) =>
    applied && [applied.added.map(({ until }) => until), applied.removed.length];
  const captcha = at('a', 3_000, 'captcha');
  expect(untils(held.apply(step([at('a')])).applied)).toEqual([[1_000], 0]);
  expect(untils(held.apply(step([captcha])).applied)).toEqual([[3_000], 0]);
  expect(untils(held.apply(step([at('a', 2_000)])).applied)).toBeUndefined();
  expect(untils(held.apply(step([], [captcha])).applied)).toEqual([[2_000], 0]);
  expect(untils(held.apply(step([], [at('a')])).applied)).toEqual([[], 1]);
});

test('above the limit new decisions are dropped and counted, but known ones may change', () => {
  const held = new HeldDecisions(2);
  const { applied, leftOut } = held.apply(step(['a', 'b', 'c'].map((value) => at(value))));
  expect([applied?.added.length, leftOut, held.size]).toEqual([2, 1, 2]);
  expect(held.apply(step([at('b', 2_000)])).leftOut).toBe(0);
  expect(held.apply(step([at('b', 2_000, 'captcha')])).leftOut).toBe(1);
  expect(held.apply(step([at('c')], [at('a')])).leftOut).toBe(0);
});

test('a whole list replaces the list before', () => {
  const held = new HeldDecisions(10);
  held.apply(step([at('a'), at('b')]));
  held.apply({ isWhole: true, added: [at('c')], removed: [] });
  expect(held.current(0).map(({ value }) => value)).toEqual(['c']);
});
