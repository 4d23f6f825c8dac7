import type { CrowdsecChanges, CrowdsecDecision } from '@guard/config/contract/crowdsec';

/** The decisions of CrowdSec. Each value has one decision, because CrowdSec tells only the longest. */
export class HeldDecisions {
  readonly #most: number;
  readonly #held = new Map<string, CrowdsecDecision>();

  /** Holds `most` decisions. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Those that have not ended at `now`. The others are held until CrowdSec takes them away, so that each thread is told. */
  standing(now: number): readonly CrowdsecDecision[] {
    return [...this.#held.values()].filter(({ until }) => until > now);
  }

  /** Returns the changes of the list, undefined when there are none, and how many decisions had no room. */
  apply({ isWhole, added, removed }: CrowdsecChanges): {
    readonly applied: CrowdsecChanges | undefined;
    readonly leftOut: number;
  } {
    if (isWhole) this.#held.clear();
    // CrowdSec can tell an end more than once. Meanwhile the value may have a newer decision, which stays.
    const gone = removed.filter((one) => {
      const id = this.#held.get(keyOf(one))?.id;
      return id !== undefined && id <= one.id && this.#held.delete(keyOf(one));
    });
    const come = added.filter((one) => {
      if (this.#held.size >= this.#most && !this.#held.has(keyOf(one))) return false;
      this.#held.set(keyOf(one), one);
      return true;
    });
    const isSame = !isWhole && come.length + gone.length === 0;
    return {
      applied: isSame ? undefined : { isWhole, added: come, removed: gone },
      leftOut: added.length - come.length,
    };
  }
}

function keyOf({ scope, value }: Pick<CrowdsecDecision, 'scope' | 'value'>): string {
  return `${scope} ${value}`;
}
