import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import { findingsOf } from './list.ts';

const NONE: readonly Reason[] = [];

/** The findings of one request: made when something asks, and once. Few rules ask. */
export class Findings {
  readonly #facts: Facts;
  #found: readonly Reason[] | undefined;

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** What was found so far: nothing before somebody asked. */
  get made(): readonly Reason[] {
    return this.#found ?? NONE;
  }

  all(): readonly Reason[] {
    return (this.#found ??= findingsOf(this.#facts));
  }
}
