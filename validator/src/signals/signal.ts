import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';

/** A pure judgement of a request's facts: the reasons it found, most often none. */
export type Signal = (facts: Facts) => readonly Reason[];

export const NOTHING: readonly Reason[] = [];
