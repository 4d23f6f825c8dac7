import type { Clock } from '@guard/config/contract/ports';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { temporaryRuleName } from '@guard/config/contract/temporary-rule';
import type { Rule } from '@guard/config/settings/sections/rule';
import type { TemporaryDecision } from '@guard/config/settings/derived/temporary-decision';
import type { Facts } from '../request/facts.ts';
import type { Directives } from './directives.ts';
import { PrefixMap } from './prefix-map.ts';

/**
 * A temporary decision in the form of a rule. Its directives set only the verdict. They replace the directives of the
 * other rules, so the monitor mode of a rule does not lift a temporary block.
 */
interface TemporaryRule {
  readonly directives: Directives;
  readonly isLenient: boolean;
  readonly until: number;
}

/**
 * The current temporary decisions. They have priority over the rules of guard.yaml. When several decisions apply, the
 * most specific one is used: first a session, then the smallest network, then an autonomous system.
 */
export class TemporaryRules {
  readonly #clock: Clock;
  #rulesByOrganisation: ReadonlyMap<string, RulesOfOrganisation> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  replace(decisions: readonly TemporaryDecision[]): void {
    const rulesByOrganisation = new Map<string, RulesOfOrganisation>();
    for (const decision of decisions) {
      const rules = rulesByOrganisation.get(decision.organisation) ?? new RulesOfOrganisation();
      rulesByOrganisation.set(decision.organisation, rules);
      rules.add(decision);
    }
    this.#rulesByOrganisation = rulesByOrganisation;
  }

  /** The directives of the decision that applies to this request. The given `directives` when no decision applies. */
  applyTo(directives: Directives, organisation: string, facts: Facts): Directives {
    return (
      this.#rulesByOrganisation.get(organisation)?.find(facts, this.#clock())?.directives ??
      directives
    );
  }
}

class RulesOfOrganisation {
  readonly #sessions = new Map<string, TemporaryRule>();
  readonly #networks = new PrefixMap<TemporaryRule>();
  readonly #asns = new Map<number, TemporaryRule>();

  add(decision: TemporaryDecision): void {
    const { target } = decision;
    const rule = ruleOf(decision);
    switch (target.kind) {
      case 'session':
        this.#sessions.set(target.session, rule);
        return;
      case 'asn':
        this.#asns.set(target.asn, rule);
        return;
      case 'network':
        this.#networks.set(target.network, rule);
    }
  }

  find(facts: Facts, nowMs: number): TemporaryRule | undefined {
    return (
      this.#ruleOfSession(facts, nowMs) ??
      this.#networks.find(facts.ip, nowMs) ??
      this.#ruleOfAsn(facts, nowMs)
    );
  }

  #ruleOfSession({ session }: Facts, nowMs: number): TemporaryRule | undefined {
    if (this.#sessions.size === 0 || session.state === 'none') return undefined;
    const rule = unlessEnded(this.#sessions.get(sessionDigest(session.id)), nowMs);
    // A second client uses this session, and an `allow` for the session must not help the second client.
    const isLost = session.state === 'issued' && session.lost !== undefined;
    return isLost && rule?.isLenient === true ? undefined : rule;
  }

  #ruleOfAsn(facts: Facts, nowMs: number): TemporaryRule | undefined {
    return this.#asns.size === 0 ? undefined : unlessEnded(this.#asns.get(facts.asn()), nowMs);
  }
}

/** The rule, or undefined when its time is over. A decision ends at its time, even when the list is not replaced. */
function unlessEnded(rule: TemporaryRule | undefined, nowMs: number): TemporaryRule | undefined {
  return rule !== undefined && rule.until > nowMs ? rule : undefined;
}

function ruleOf({ id, verdict, until }: TemporaryDecision): TemporaryRule {
  const rule: Rule = { name: temporaryRuleName(id), match: {}, verdict };
  const directives: Directives = {
    verdict: { value: verdict, by: rule },
    detect: undefined,
    rateLimit: undefined,
    challenge: undefined,
    monitor: false,
  };
  return { directives, isLenient: verdict === 'allow', until };
}
