import type { CrowdsecChanges, CrowdsecDecision } from '@guard/config/contract/crowdsec';

/**
 * A decision as CrowdSec sends it. When several decisions of one type are on one value, CrowdSec sends only the one
 * that ends last. It sends an end only when all of them have ended. So it can send the end of a decision that it never
 * sent.
 */
export interface TypedDecision extends CrowdsecDecision {
  /** `ban`, `captcha` or a word of the operator. */
  readonly type: string;
}

/** An answer of CrowdSec. `removed` is applied before `added`. */
export interface ToldChanges {
  readonly isWhole: boolean;
  readonly added: readonly TypedDecision[];
  readonly removed: readonly Omit<TypedDecision, 'until'>[];
}

/** The decisions of CrowdSec. A value is on the list while a decision of any type has not ended. */
export class HeldDecisions {
  readonly #most: number;
  /** The decisions of each value. The one that ends last comes first. */
  readonly #held = new Map<string, readonly TypedDecision[]>();
  #size = 0;

  /** Holds `most` decisions. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * The values that are on the list at `now`. A decision that has ended is kept until CrowdSec removes it, so that each
   * thread learns of the end.
   */
  standing(now: number): readonly CrowdsecDecision[] {
    return this.#listed().filter(({ until }) => until > now);
  }

  /** Returns the changes of the list, undefined when there are none, and how many decisions had no room. */
  apply({ isWhole, added, removed }: ToldChanges): {
    readonly applied: CrowdsecChanges | undefined;
    readonly leftOut: number;
  } {
    if (isWhole) {
      this.#held.clear();
      this.#size = 0;
    }
    const before = new Map(
      isWhole ? [] : [...removed, ...added].map((one) => [keyOf(one), this.#listedAs(keyOf(one))]),
    );
    for (const one of removed) this.#replace(one, []);
    const leftOut = added.filter((one) => !this.#replace(one, [one])).length;
    if (isWhole) return { applied: { isWhole, added: this.#listed(), removed: [] }, leftOut };
    const changed = [...before].filter(([key, was]) => this.#listedAs(key)?.until !== was?.until);
    const come = changed.flatMap(([key]) => this.#listedAs(key) ?? []);
    const gone = changed.flatMap(([key, was]) => (this.#held.has(key) || !was ? [] : [was]));
    const applied = { isWhole, added: come, removed: gone };
    return { applied: changed.length === 0 ? undefined : applied, leftOut };
  }

  #listedAs(key: string): TypedDecision | undefined {
    return this.#held.get(key)?.[0];
  }

  /** For the threads: the decision of each value that ends last. */
  #listed(): CrowdsecDecision[] {
    return [...this.#held.values()].flatMap(([longest]) => longest ?? []);
  }

  /** Puts `by` in the place of the decision of this type on this value. False when there is no room. */
  #replace(one: Omit<TypedDecision, 'until'>, by: readonly TypedDecision[]): boolean {
    const key = keyOf(one);
    const before = this.#held.get(key) ?? [];
    const others = before.filter(({ type }) => type !== one.type);
    const after = others.length === 0 ? by : [...others, ...by].sort((a, b) => b.until - a.until);
    const size = this.#size + after.length - before.length;
    if (size > this.#most) return false;
    this.#size = size;
    if (after.length === 0) this.#held.delete(key);
    else this.#held.set(key, after);
    return true;
  }
}

function keyOf({ scope, value }: Pick<CrowdsecDecision, 'scope' | 'value'>): string {
  return `${scope} ${value}`;
}
