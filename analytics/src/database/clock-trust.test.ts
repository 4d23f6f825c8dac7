import { expect, test } from 'vitest';
import { lookAtClock } from './clock-trust.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;

/** Whether the clock is doubted after it showed these times. Before them the clock showed NOW, which is trusted. */
function isDoubted(...times: readonly number[]): boolean {
  let state = lookAtClock(undefined, NOW);
  for (const time of times) state = lookAtClock(state, time);
  return state.doubt !== undefined;
}

/** One time for each hour from one time to another. */
function hours(from: number, to: number): number[] {
  return Array.from({ length: Math.floor((to - from) / HOUR) + 1 }, (_, n) => from + n * HOUR);
}

const AHEAD = NOW + 100 * DAY;

test.each<[string, boolean, number[]]>([
  ['a clock without a step', false, [NOW + HOUR, NOW + DAY]],
  ['a clock that is set back', false, [NOW - 100 * DAY]],
  ['a step of more than a day', true, [NOW + DAY + 1]],
  ['a step of a hundred days', true, [AHEAD]],
  ['a step of a hundred days, and the next look an hour later', true, [AHEAD, AHEAD + HOUR]],
  ['a step of a hundred days, then set right', false, [AHEAD, NOW + HOUR]],
  ['a step of a hundred days, then set half the way back', true, [AHEAD, NOW + 50 * DAY]],
  [
    'a step of a hundred days, then almost a day of looks without a step',
    true,
    hours(AHEAD, AHEAD + DAY - HOUR),
  ],
  [
    'a step of a hundred days, then a day of looks without a step',
    false,
    hours(AHEAD, AHEAD + DAY),
  ],
  [
    'a step of a hundred days, and the next look more than a day later, because Guard perhaps did not run',
    true,
    [AHEAD, AHEAD + DAY + 1],
  ],
  [
    'a second step within that day of looks',
    true,
    [...hours(AHEAD, AHEAD + 20 * HOUR), ...hours(AHEAD + 50 * DAY, AHEAD + 50 * DAY + 10 * HOUR)],
  ],
])('%s: the clock is doubted: %s', (_what, expected, times) => {
  expect(isDoubted(...times)).toBe(expected);
});
