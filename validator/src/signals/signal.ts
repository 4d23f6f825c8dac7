import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';

/** A pure function that returns the reasons that it finds in the facts of a request. Usually it finds none. */
export type Signal = (facts: Facts) => readonly Reason[];

export const NO_REASONS: readonly Reason[] = [];
