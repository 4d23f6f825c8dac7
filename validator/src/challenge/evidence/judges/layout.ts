import type { Reason } from '@guard/config/contract/reasons';
import { LAYOUT_SIDE } from '../../../../page-contract/layout-questions.ts';
import type { ReadingValue } from '../../../../page-contract/evidence.ts';
import { layoutAnswers } from '../layout-answers.ts';
import type { Judge } from './case.ts';

/**
 * How far a measurement may lie from the arithmetic, in CSS pixels. Engines round to 1/64 or 1/60 of
 * a device pixel, and some privacy extensions add noise below one pixel.
 */
const TOLERANCE_PX = 1.5;
/** How far noise of two pixels on each rectangle moves what is measured between two of them. */
const NOISE_PX = 4.5;

/** Boxes that were laid out by these questions measure as the arithmetic says. */
export const judgeLayout: Judge = ({ evidence, questions }): Reason | undefined => {
  const { layout } = evidence.readings;
  if (!('value' in layout) || lacksLayout(evidence.readings)) return undefined;
  const { answers } = layout.value;
  return findingOf(farthest(answers, scaleOf(layout.value), layoutAnswers(questions)));
};

/** What it means that a measurement lies so far from what it has to be, in CSS pixels. */
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
export function lacksLayout({ layout }: Readonly<{ layout: LayoutReading }>): boolean {
  return !('value' in layout) || scaleOf(layout.value) === 0;
}

type LayoutReading = { readonly value: ReadingValue<'layout'> } | { readonly unread: string };

/** Documents may be scaled as a whole; the side of the square says by how much. */
export function scaleOf({ side }: { readonly side: number }): number {
  return Math.max(0, side) / LAYOUT_SIDE;
}
