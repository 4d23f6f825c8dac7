import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import type { Strengths } from '../verdict/strengths.ts';
import { findingsOf } from './list.ts';

const NO_FINDINGS: readonly Reason[] = [];
const NO_POINTS: readonly number[] = [];

/** The findings of one request. They are computed once, at the first use. */
export class Findings {
  readonly #facts: Facts;
  readonly #strengths: Strengths;
  #findings: readonly Reason[] | undefined;

  constructor(facts: Facts, strengths: Strengths) {
    this.#facts = facts;
    this.#strengths = strengths;
  }

  /** The findings, if they are already computed. Empty before the first call of `all`. */
  get computed(): readonly Reason[] {
    return this.#findings ?? NO_FINDINGS;
  }

  /** The points of each finding in `computed`, for this organisation. */
  points(): readonly number[] {
    return this.computed.length === 0 ? NO_POINTS : this.#strengths.pointsOf(this.computed);
  }

  all(): readonly Reason[] {
    return (this.#findings ??= this.#strengths.withoutOff(findingsOf(this.#facts)));
  }
}
