import type { CrowdsecChanges, CrowdsecDecision } from '@guard/config/contract/crowdsec';

/**
 * A decision as CrowdSec sends it. Of several decisions with one type on one value, CrowdSec sends only the one that
 * ends last. It sends an end only after all of them have ended, so it can send the end of a decision that it never
 * sent.
 */
export interface TypedDecision extends CrowdsecDecision {
  /** `ban`, `captcha` or a word of the operator. */
  readonly type: string;
}

/** One answer of CrowdSec. Apply `removed` before `added`. */
export interface CrowdsecAnswer {
  readonly isWhole: boolean;
  readonly added: readonly TypedDecision[];
  readonly removed: readonly Omit<TypedDecision, 'until'>[];
}

/** The decisions of CrowdSec. A value stays on the list until its decisions of all types have ended. */
export class HeldDecisions {
  readonly #most: number;
  /** The decisions of each value. The one that ends last comes first. */
  readonly #held = new Map<string, readonly TypedDecision[]>();
  #size = 0;

  /** Keeps at most `most` decisions. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * The values on the list at `now`. An ended decision stays until CrowdSec removes it, so that threads get its end.
   */
  current(now: number): readonly CrowdsecDecision[] {
    return this.#listed().filter(({ until }) => until > now);
  }

  /** Returns the changes of the list (undefined without changes), and the number of decisions without room. */
  apply({ isWhole, added, removed }: CrowdsecAnswer): {
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

  /** For the threads: of each value, the decision that ends last. */
  #listed(): CrowdsecDecision[] {
    return [...this.#held.values()].flatMap(([longest]) => longest ?? []);
  }

  /** Replaces the decision of this type on this value. False when there is no room. */
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
