import { expect, test } from 'vitest';
import { lookAtClock } from './clock-trust.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;

/** Whether the clock is doubted after it showed `times`. Before these times it showed NOW, which is trusted. */
function isDoubted(...times: readonly number[]): boolean {
  let state = lookAtClock(undefined, NOW);
  for (const time of times) state = lookAtClock(state, time);
  return state.doubt !== undefined;
}

/** One time for each hour between two times. */
function hours(from: number, to: number): number[] {
  return Array.from({ length: Math.floor((to - from) / HOUR) + 1 }, (_, n) => from + n * HOUR);
}

const AHEAD = NOW + 100 * DAY;

test.each<[string, boolean, number[]]>([
  ['a clock without a step', false, [NOW + HOUR, NOW + DAY]],
  ['a clock that is set back', false, [NOW - 100 * DAY]],
  ['a step of more than a day', true, [NOW + DAY + 1]],
  ['a step of a hundred days', true, [AHEAD]],
  ['a step of a hundred days, and the next check an hour later', true, [AHEAD, AHEAD + HOUR]],
  ['a step of a hundred days, and then the correct time again', false, [AHEAD, NOW + HOUR]],
  ['a step of a hundred days, and then a step half the way back', true, [AHEAD, NOW + 50 * DAY]],
  [
    'a step of a hundred days, and then checks without a step for almost a day',
    true,
    hours(AHEAD, AHEAD + DAY - HOUR),
  ],
  [
    'a step of a hundred days, and then checks without a step for a day',
    false,
    hours(AHEAD, AHEAD + DAY),
  ],
  [
    'a step of a hundred days, and the next check more than a day later: Guard perhaps did not run',
    true,
    [AHEAD, AHEAD + DAY + 1],
  ],
  [
    'a second step within the day of checks',
    true,
    [...hours(AHEAD, AHEAD + 20 * HOUR), ...hours(AHEAD + 50 * DAY, AHEAD + 50 * DAY + 10 * HOUR)],
  ],
])('%s: doubted: %s', (_what, expected, times) => {
  expect(isDoubted(...times)).toBe(expected);
});
