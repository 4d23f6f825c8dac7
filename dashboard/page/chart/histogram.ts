import { num, texts } from '@guard/config/plain-words/cells';
import type { Row } from '../data/query.ts';

/** The addresses or sessions with the same peak. */
export interface Peak {
  /** The highest number of requests in one minute. */
  readonly peak: number;
  readonly number: number;
  readonly requests: number;
  /** Some of these addresses or sessions. */
  readonly examples: readonly string[];
}

export function peaksOf(rows: readonly Row[]): Peak[] {
  return rows.map((row) => ({
    peak: num(row[0]),
    number: num(row[1]),
    requests: num(row[2]),
    examples: texts(row[3]),
  }));
}

/**
 * Returns the smallest peak that at least this share of the addresses or sessions does not exceed. `peaks` are in
 * ascending order. 0 when there are no peaks.
 */
export function percentile(peaks: readonly Peak[], share: number): number {
  const totalNumber = peaks.reduce((sum, { number }) => sum + number, 0);
  let countedNumber = 0;
  for (const { peak, number } of peaks) {
    countedNumber += number;
    if (countedNumber >= share * totalNumber) return peak;
  }
  return 0;
}

/** Counts the addresses or sessions that exceed a limit at least once. */
export function countAbove(peaks: readonly Peak[], limit: number) {
  const peaksAbove = peaks.filter(({ peak }) => peak > limit);
  return {
    number: peaksAbove.reduce((sum, { number }) => sum + number, 0),
    requests: peaksAbove.reduce((sum, { requests }) => sum + requests, 0),
    top: peaksAbove
      .toReversed()
      .flatMap(({ peak, examples }) => examples.map((visitor) => ({ visitor, peak })))
      .slice(0, 10),
  };
}
