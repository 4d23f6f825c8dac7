import { expect, test } from 'vitest';
import { lookAtClock } from './clock-trust.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;

/** Whether the clock is doubted after it showed these times. Before the first one, nothing is known. */
function isDoubted(...times: readonly number[]): boolean {
  let known = lookAtClock(undefined, NOW);
  for (const time of times) known = lookAtClock(known, time);
  return known.doubt !== undefined;
}

/** One time for each hour from one time to another. */
function hours(from: number, to: number): number[] {
  return Array.from({ length: Math.floor((to - from) / HOUR) + 1 }, (_, n) => from + n * HOUR);
}

const AHEAD = NOW + 100 * DAY;

test.each([
  ['a clock without a step', [NOW + HOUR, NOW + DAY], false],
  ['a clock that is set back', [NOW - 100 * DAY], false],
  ['a step of more than a day', [NOW + DAY + 1], true],
  ['a step of a hundred days', [AHEAD], true],
  ['the same, and a restart', [AHEAD, AHEAD + HOUR], true],
  ['the same, then set right', [AHEAD, NOW + HOUR], false],
  ['the same, then set half the way back', [AHEAD, NOW + 50 * DAY], true],
  ['the same, for almost a day', [...hours(AHEAD, AHEAD + DAY - HOUR)], true],
  ['the same, for a day', [...hours(AHEAD, AHEAD + DAY)], false],
  [
    'two looks with a day between them, in which Guard may not have run',
    [AHEAD, AHEAD + DAY + 1],
    true,
  ],
  [
    'a second step within that day',
    [...hours(AHEAD, AHEAD + 20 * HOUR), ...hours(AHEAD + 50 * DAY, AHEAD + 50 * DAY + 10 * HOUR)],
    true,
  ],
])('deletion stops or goes on: %s', (_what, times, expected) => {
  expect(isDoubted(...times)).toBe(expected);
});
