import { expect, test } from 'vitest';
import { lookAtClock } from './clock-trust.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;

/** What is held at the end of looks at these times, the first with nothing known. */
function isDoubted(...times: readonly number[]): boolean {
  let known = lookAtClock(undefined, NOW);
  for (const time of times) known = lookAtClock(known, time);
  return known.doubted !== undefined;
}

/** A look each hour, from one time to another. */
function hours(from: number, to: number): number[] {
  return Array.from({ length: Math.floor((to - from) / HOUR) + 1 }, (_, n) => from + n * HOUR);
}

const AHEAD = NOW + 100 * DAY;

test.each([
  ['a clock that goes on', [NOW + HOUR, NOW + DAY], false],
  ['one that is set back, by however much', [NOW - 100 * DAY], false],
  ['a step of more than a day', [NOW + DAY + 1], true],
  ['a step of a hundred days', [AHEAD], true],
  ['the same, and a restart there', [AHEAD, AHEAD + HOUR], true],
  ['the same, and set right again', [AHEAD, NOW + HOUR], false],
  ['the same, and set right by half', [AHEAD, NOW + 50 * DAY], true],
  ['the same, for all but a day', [...hours(AHEAD, AHEAD + DAY - HOUR)], true],
  ['the same, for a day', [...hours(AHEAD, AHEAD + DAY)], false],
  ['two looks a day apart, which is no day of running', [AHEAD, AHEAD + DAY + 1], true],
  [
    'a second step within that day',
    [...hours(AHEAD, AHEAD + 20 * HOUR), ...hours(AHEAD + 50 * DAY, AHEAD + 50 * DAY + 10 * HOUR)],
    true,
  ],
])('whether deletion is held: %s', (_what, times, expected) => {
  expect(isDoubted(...times)).toBe(expected);
});
