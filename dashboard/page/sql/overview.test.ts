import { expect, it } from 'vitest';
import { overTime } from './overview.ts';

it('the bars of each period begin at the start of this period', () => {
  const range = { from: 1_000_000_000, to: 1_156_600_000 };
  const scope = { range, site: '', filters: [], verdict: 'action' } as const;
  const { from, to } = range;
  expect(overTime(scope, 'action', true)).toContain(`, ${from}, ${from - (to - from)}) AS bucket`);
  expect(overTime(scope, 'action', false)).toContain(`+ ${from} AS bucket`);
});
