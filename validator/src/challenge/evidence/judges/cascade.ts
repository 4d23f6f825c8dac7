import type { Reason } from '@guard/config/contract/reasons';
import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';
import { farthest, findingOf, scaleOf } from './layout.ts';

/** Boxes that a browser styled with the sheet of this ticket are as wide as its cascade makes them. */
export const judgeCascade: Judge = ({ evidence, cascades }): Reason | undefined => {
  const cascade = known(evidence.readings.cascade);
  if (cascade === undefined || scaleOf(cascade) === 0) return undefined;
  const { widths } = cascade;
  const scale = scaleOf(cascade);
  return findingOf(Math.min(...cascades.map((expected) => farthest(widths, scale, expected))));
};
