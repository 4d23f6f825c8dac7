import type { CrowdsecChanges, CrowdsecDecision } from '@guard/config/contract/crowdsec';

/**
 * A decision as CrowdSec sends it. When several decisions have the same type and value, CrowdSec sends only the
 * decision that ends last. CrowdSec can also send the end of a decision that it never sent.
 */
export interface TypedDecision extends CrowdsecDecision {
  /** `ban`, `captcha` or a word that the operator chose. */
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
  readonly #maxDecisions: number;
  /** The decisions of each value. The decision that ends last comes first. */
  readonly #decisionsByValue = new Map<string, readonly TypedDecision[]>();
  #size = 0;

  constructor(maxDecisions: number) {
    this.#maxDecisions = maxDecisions;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * The values on the list at `now`. This object keeps an ended decision until CrowdSec removes it, so that the threads
   * get the removal.
   */
  current(now: number): readonly CrowdsecDecision[] {
    return this.#listedDecisions().filter(({ until }) => until > now);
  }

  /**
   * Returns the changes of the list, and the number of decisions that were left out because the list is full. `applied`
   * is undefined when nothing changed.
   */
  apply({ isWhole, added, removed }: CrowdsecAnswer): {
    readonly applied: CrowdsecChanges | undefined;
    readonly leftOut: number;
  } {
    if (isWhole) {
      this.#decisionsByValue.clear();
      this.#size = 0;
    }
    const changedKeys = isWhole ? [] : [...removed, ...added].map(keyOf);
    const listedBefore = new Map(changedKeys.map((key) => [key, this.#listedOf(key)]));
    for (const decision of removed) this.#replace(decision, []);
    const leftOut = added.filter((decision) => !this.#replace(decision, [decision])).length;
    if (isWhole)
      return { applied: { isWhole, added: this.#listedDecisions(), removed: [] }, leftOut };
    const changedValues = [...listedBefore].filter(
      ([key, earlier]) => this.#listedOf(key)?.until !== earlier?.until,
    );
    const addedDecisions = changedValues.flatMap(([key]) => this.#listedOf(key) ?? []);
    const removedDecisions = changedValues.flatMap(([key, earlier]) =>
      this.#decisionsByValue.has(key) || !earlier ? [] : [earlier],
    );
    const applied = { isWhole, added: addedDecisions, removed: removedDecisions };
    return { applied: changedValues.length === 0 ? undefined : applied, leftOut };
  }

  #listedOf(key: string): TypedDecision | undefined {
    return this.#decisionsByValue.get(key)?.[0];
  }

  /** The decision that ends last for each value. The other threads get these decisions. */
  #listedDecisions(): CrowdsecDecision[] {
    return [...this.#decisionsByValue.values()].flatMap(([lastToEnd]) => lastToEnd ?? []);
  }

  /** Replaces the decision of this type on this value. False when the list is full. */
  #replace(decision: Omit<TypedDecision, 'until'>, replacement: readonly TypedDecision[]): boolean {
    const key = keyOf(decision);
    const decisionsBefore = this.#decisionsByValue.get(key) ?? [];
    const otherDecisions = decisionsBefore.filter(({ type }) => type !== decision.type);
    const decisionsAfter =
      otherDecisions.length === 0
        ? replacement
        : [...otherDecisions, ...replacement].sort((a, b) => b.until - a.until);
    const size = this.#size + decisionsAfter.length - decisionsBefore.length;
    if (size > this.#maxDecisions) return false;
    this.#size = size;
    if (decisionsAfter.length === 0) this.#decisionsByValue.delete(key);
    else this.#decisionsByValue.set(key, decisionsAfter);
    return true;
  }
}

function keyOf({ scope, value }: Pick<CrowdsecDecision, 'scope' | 'value'>): string {
  return `${scope} ${value}`;
}
