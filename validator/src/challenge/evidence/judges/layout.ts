import type { Reason } from '@guard/config/contract/reasons';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { LAYOUT_SIDE } from '../../../../page-contract/limits.ts';
import type { Judge } from './case.ts';

/**
 * How far a measurement may lie from the arithmetic, in CSS pixels. Engines round to 1/64 or 1/60 of
 * a device pixel, and some privacy extensions add noise below one pixel.
 */
const TOLERANCE_PX = 1.5;
/** How far noise of two pixels on each rectangle moves what is measured between two of them. */
const NOISE_PX = 4.5;

/** Boxes that a browser styled with the sheet of this ticket are as wide as its cascade makes them. */
export const judgeLayout: Judge = ({ evidence, cascades }): Reason | undefined => {
  const { cascade } = evidence.readings;
  if (!('value' in cascade) || lacksLayout(evidence.readings)) return undefined;
  const { widths } = cascade.value;
  const scale = scaleOf(cascade.value);
  return findingOf(Math.min(...cascades.map((expected) => farthest(widths, scale, expected))));
};

/** The finding for a measurement that is off by this many CSS pixels. */
export function findingOf(offPx: number): Reason | undefined {
  if (offPx <= TOLERANCE_PX) return undefined;
  return offPx <= NOISE_PX ? 'layout_noise' : 'layout_mismatch';
}

/**
 * How far the worst measurement lies from what it has to be: in CSS pixels, measured in a document of this scale.
 * Infinity where one is missing or none was expected.
 */
export function farthest(
  answers: readonly number[],
  scale: number,
  expected: readonly number[],
): number {
  if (answers.length !== expected.length) return Infinity;
  const off = expected.map((wanted, at) => Math.abs((answers[at] ?? Infinity) / scale - wanted));
  return Math.max(...off);
}

/** Measurements that are no farther off than noise of an extension. What they prove is that something was loaded. */
export function measures(
  answers: readonly number[],
  scale: number,
  expected: readonly number[],
): boolean {
  return farthest(answers, scale, expected) <= NOISE_PX;
}

/**
 * True when nothing was laid out: the probe did not run, or in a document that has no boxes. People
 * meet that too (a frame that is not displayed, a browser that stalled), so it is no finding; but a
 * challenge that was not carried out is not passed either.
 */
export function lacksLayout({ cascade }: Pick<Readings, 'cascade'>): boolean {
  return !('value' in cascade) || scaleOf(cascade.value) === 0;
}

/** Documents may be scaled as a whole; the side of the square says by how much. */
export function scaleOf({ side }: { readonly side: number }): number {
  return Math.max(0, side) / LAYOUT_SIDE;
}
