import type { CrowdsecDecision } from '@guard/config/contract/crowdsec';
import { expect, test } from 'vitest';
import { HeldDecisions } from './held-decisions.ts';

const at = (value: string, id: number, until = 1_000): CrowdsecDecision => ({
  ...{ id, scope: 'network', value, until },
});
const step = (added: readonly CrowdsecDecision[], removed: readonly CrowdsecDecision[] = []) => ({
  ...{ isWhole: false, added, removed },
});

test('an end is passed on once, whenever it is told, so that no thread holds a decision for ever', () => {
  const held = new HeldDecisions(10);
  held.apply(step([at('203.0.113.1', 1, 0)]));
  const { applied } = held.apply(step([], [at('203.0.113.1', 1, -5)]));
  expect(applied?.removed.map(({ value }) => value)).toEqual(['203.0.113.1']);
  expect(held.apply(step([], [at('203.0.113.1', 1, -9)])).applied).toBeUndefined();
  expect(held.size).toBe(0);
});

test('an end that is told again does not take away what was listed anew', () => {
  const held = new HeldDecisions(10);
  held.apply(step([at('203.0.113.1', 7)]));
  expect(held.apply(step([], [at('203.0.113.1', 3)])).applied).toBeUndefined();
  expect(held.size).toBe(1);
});

test('above the bound decisions are left out and counted; what is known may change', () => {
  const held = new HeldDecisions(2);
  const { applied, leftOut } = held.apply(step(['a', 'b', 'c'].map((value) => at(value, 1))));
  expect([applied?.added.length, leftOut, held.size]).toEqual([2, 1, 2]);
  expect(held.apply(step([at('b', 9)])).leftOut).toBe(0);
});

test('a whole list takes the place of the one before', () => {
  const held = new HeldDecisions(10);
  held.apply(step([at('a', 1), at('b', 2)]));
  held.apply({ isWhole: true, added: [at('c', 3)], removed: [] });
  expect(held.standing(0).map(({ value }) => value)).toEqual(['c']);
});
