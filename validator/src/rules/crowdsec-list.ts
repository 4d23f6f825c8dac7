import type { CrowdsecChanges, CrowdsecDecision } from '@guard/config/contract/crowdsec';
import type { Clock } from '@guard/config/contract/ports';
import type { Located } from '../request/facts.ts';
import { PrefixMap } from './prefix-map.ts';

/** The current decisions of CrowdSec. Every request looks up its visitor. A change does not rebuild the list. */
export class CrowdsecList {
  readonly #clock: Clock;
  #networks = new PrefixMap<CrowdsecDecision>();
  readonly #others = {
    asn: new Map<string, CrowdsecDecision>(),
    country: new Map<string, CrowdsecDecision>(),
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  apply({ isWhole, added, removed }: CrowdsecChanges): void {
    if (isWhole) {
      this.#networks = new PrefixMap();
      this.#others.asn.clear();
      this.#others.country.clear();
    }
    for (const { scope, value } of removed) {
      if (scope === 'network') this.#networks.delete(value);
      else this.#others[scope].delete(value);
    }
    for (const decision of added) {
      if (decision.scope === 'network') this.#networks.set(decision.value, decision);
      else this.#others[decision.scope].set(decision.value, decision);
    }
  }

  has(visitor: Located): boolean {
    const now = this.#clock();
    if (this.#networks.find(visitor.ip, now) !== undefined) return true;
    const { asn, country } = this.#others;
    return (
      (asn.size > 0 && stands(asn.get(String(visitor.asn())), now)) ||
      (country.size > 0 && stands(country.get(visitor.country()), now))
    );
  }
}

/** Whether a decision is still valid. It ends at its time, even while CrowdSec gives no answer. */
function stands(decision: CrowdsecDecision | undefined, now: number): boolean {
  return decision !== undefined && decision.until > now;
}
