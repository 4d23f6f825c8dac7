import { sessionRoot } from '@guard/config/contract/session-root';

/**
 * The fourth group of a session's value has the two bits of the UUID variant, one bit that is 1 in renewed values, and
 * 13 bits of state. In the first value the state is the mark of its challenge (challenge-mark.ts). In a renewed value
 * the state is the number of its period.
 */
const VARIANT = 0x8000;
const RENEWED_BIT = 0x2000;
const BITS = 0x1fff;
const GROUP_FROM = 19;
const GROUP_TO = 23;

const PERIOD_MS = 15 * 60_000;
/** After this many periods (85 days) the numbers repeat. */
const PERIODS = BITS + 1;

/** The fourth group of the first value of a session. */
export function firstGroup(mark: number): string {
  return (VARIANT | mark).toString(16);
}

/** The fourth group of the renewed value at this time. */
export function renewedGroup(value: string, nowMs: number): string {
  return (VARIANT | RENEWED_BIT | periodAt(value, nowMs)).toString(16);
}

export function markOf(value: string): number {
  return isFirst(value) ? numberOf(value) & BITS : 0;
}

/**
 * Whether a session that was judged at `judgedAt` should get a later value. False when the new value would not be later
 * than `value` and `newest`. The clocks of instances can differ, so even an older value is possible.
 */
export function isDue(value: string, judgedAt: number, nowMs: number, newest = ''): boolean {
  const period = periodAt(value, nowMs);
  const isOld = newest !== '' && !isFirst(newest) && isAhead(numberOf(newest), period);
  return !isOld && isAhead(period, isFirst(value) ? periodAt(value, judgedAt) : numberOf(value));
}

/**
 * Whether a value has a later period than another value of the same session. The first value is earlier than all
 * others.
 */
export function isLater(value: string, otherValue: string): boolean {
  if (isFirst(value)) return false;
  if (isFirst(otherValue)) return true;
  return isAhead(numberOf(value), numberOf(otherValue));
}

function isAhead(period: number, otherPeriod: number): boolean {
  const ahead = (period - otherPeriod) & BITS;
  return ahead > 0 && ahead < PERIODS / 2;
}

/** Whether two values have the same period. They can still differ when two secrets made them. */
export function isSamePeriod(value: string, otherValue: string): boolean {
  return numberOf(value) === numberOf(otherValue);
}

export function isFirst(value: string): boolean {
  return (numberOf(value) & RENEWED_BIT) === 0;
}

/**
 * The number of the period at this time. Periods start at different times in different sessions, so that not all
 * sessions are renewed in the same second.
 */
function periodAt(value: string, timeMs: number): number {
  const part = Number.parseInt(sessionRoot(value).slice(0, 4), 16) / 0x10000;
  return Math.floor(timeMs / PERIOD_MS + part) & BITS;
}

function numberOf(value: string): number {
  return Number.parseInt(value.slice(GROUP_FROM, GROUP_TO), 16);
}
