import type { CrowdsecChanges, CrowdsecDecision } from '@guard/config/contract/crowdsec';
import type { Clock } from '@guard/config/contract/ports';
import type { Located } from '../request/facts.ts';
import { PrefixMap } from './prefix-map.ts';

/**
 * The current decisions of CrowdSec. Every request looks up its visitor here. A change of a few decisions does not
 * rebuild the list.
 */
export class CrowdsecList {
  readonly #clock: Clock;
  #networks = new PrefixMap<CrowdsecDecision>();
  readonly #byScope = {
    asn: new Map<string, CrowdsecDecision>(),
    country: new Map<string, CrowdsecDecision>(),
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  apply({ isWhole, added, removed }: CrowdsecChanges): void {
    if (isWhole) {
      this.#networks = new PrefixMap();
      this.#byScope.asn.clear();
      this.#byScope.country.clear();
    }
    for (const { scope, value } of removed) {
      if (scope === 'network') this.#networks.delete(value);
      else this.#byScope[scope].delete(value);
    }
    for (const decision of added) {
      if (decision.scope === 'network') this.#networks.set(decision.value, decision);
      else this.#byScope[decision.scope].set(decision.value, decision);
    }
  }

  has(visitor: Located): boolean {
    const nowMs = this.#clock();
    if (this.#networks.find(visitor.ip, nowMs) !== undefined) return true;
    const { asn, country } = this.#byScope;
    return (
      (asn.size > 0 && isCurrent(asn.get(String(visitor.asn())), nowMs)) ||
      (country.size > 0 && isCurrent(country.get(visitor.country()), nowMs))
    );
  }
}

/** Whether a decision has not ended. It ends at its time, even while CrowdSec gives no answer. */
function isCurrent(decision: CrowdsecDecision | undefined, nowMs: number): boolean {
  return decision !== undefined && decision.until > nowMs;
}
