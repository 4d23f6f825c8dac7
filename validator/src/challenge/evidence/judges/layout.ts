import type { Reason } from '@guard/config/contract/reasons';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { LAYOUT_SIDE } from '../../../../page-contract/limits.ts';
import type { Judge } from './case.ts';

/**
 * Largest normal difference between a measurement and the computed value, in CSS pixels. Engines round to 1/64 or 1/60
 * of a device pixel. Some privacy extensions add noise below one pixel.
 */
const TOLERANCE_PX = 1.5;
/** How much a distance between two rectangles changes when an extension adds noise of two pixels to each. */
const NOISE_PX = 4.5;

/** Finds boxes whose widths differ from the widths that a browser computes for the sheet of this ticket. */
export const judgeLayout: Judge = ({ evidence, cascades }): Reason | undefined => {
  const { cascade } = evidence.readings;
  if (!('value' in cascade) || lacksLayout(evidence.readings)) return undefined;
  const { widths } = cascade.value;
  const scale = scaleOf(cascade.value);
  return findingOf(
    Math.min(...cascades.map((expectedWidths) => farthest(widths, scale, expectedWidths))),
  );
};

/** The finding for a measurement that differs by this many CSS pixels. */
function findingOf(offPx: number): Reason | undefined {
  if (offPx <= TOLERANCE_PX) return undefined;
  return offPx <= NOISE_PX ? 'layout_noise' : 'layout_mismatch';
}

/**
 * The largest difference between a measurement and its expected value, in CSS pixels, for a document with this scale.
 * Infinity when the two lists have different lengths.
 */
export function farthest(
  answers: readonly number[],
  scale: number,
  expectedWidths: readonly number[],
): number {
  if (answers.length !== expectedWidths.length) return Infinity;
  const differences = expectedWidths.map((expectedPx, index) =>
    Math.abs((answers[index] ?? Infinity) / scale - expectedPx),
  );
  return Math.max(...differences);
}

/** Whether the measurements differ from the expected values by at most the noise of an extension. */
export function measures(
  answers: readonly number[],
  scale: number,
  expectedWidths: readonly number[],
): boolean {
  return farthest(answers, scale, expectedWidths) <= NOISE_PX;
}

/**
 * Whether there was no layout: the reading is missing, or the document has no boxes. This can happen to people too (a
 * hidden frame, a browser that stalled), so it is not a finding. But an upload without layout does not pass.
 */
export function lacksLayout({ cascade }: Pick<Readings, 'cascade'>): boolean {
  return !('value' in cascade) || scaleOf(cascade.value) === 0;
}

/** The scale of a document, computed from the side of its square. */
export function scaleOf({ side }: { readonly side: number }): number {
  return Math.max(0, side) / LAYOUT_SIDE;
}
