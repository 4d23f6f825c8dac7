import type { Clock } from '@guard/config/contract/ports';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { temporaryRuleName } from '@guard/config/contract/temporary-rule';
import { readAddress } from '@guard/config/net/read-address';
import type { Rule } from '@guard/config/settings/sections/rule';
import type { TemporaryDecision } from '@guard/config/settings/derived/temporary-decision';
import type { Facts } from '../request/facts.ts';
import type { Directives } from './direct.ts';

/** A decision as the directives of a rule: only its verdict, so that monitor mode of another rule does not lift it. */
interface TemporaryRule {
  readonly directives: Directives;
  readonly isLenient: boolean;
  readonly until: number;
}

/**
 * The current temporary decisions, which win over the rules of guard.yaml. If several fit, the most specific one
 * decides: a session before an address, a small network before a large one, an autonomous system last.
 */
export class TemporaryRules {
  readonly #clock: Clock;
  #of: ReadonlyMap<string, RulesOfOrganisation> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces all decisions by these. */
  replace(decisions: readonly TemporaryDecision[]): void {
    const of = new Map<string, RulesOfOrganisation>();
    for (const decision of decisions) {
      const rules = of.get(decision.organisation) ?? new RulesOfOrganisation();
      of.set(decision.organisation, rules);
      rules.add(decision);
    }
    this.#of = of;
  }

  /** The directives of the decision that fits this request; `directives` where none does. */
  over(directives: Directives, organisation: string, facts: Facts): Directives {
    return this.#of.get(organisation)?.find(facts, this.#clock())?.directives ?? directives;
  }
}

/** Rules by masked address, with one map for each length of a prefix, the longest first. */
type ByPrefix<Key> = { readonly length: number; readonly rules: Map<Key, TemporaryRule> }[];

class RulesOfOrganisation {
  readonly #sessions = new Map<string, TemporaryRule>();
  readonly #v4: ByPrefix<number> = [];
  readonly #v6: ByPrefix<string> = [];
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
      case 'network': {
        const [address = '', length] = target.network.split('/');
        const { family, v4, v6 } = readAddress(address);
        if (family === 'v4') {
          const bits = Number(length ?? 32);
          rulesOf(this.#v4, bits).set(maskV4(v4, bits), rule);
        } else {
          const bits = Number(length ?? 128);
          rulesOf(this.#v6, bits).set(maskV6(v6, bits), rule);
        }
      }
    }
  }

  find(facts: Facts, now: number): TemporaryRule | undefined {
    return this.#ofSession(facts, now) ?? this.#ofAddress(facts.ip, now) ?? this.#ofAsn(facts, now);
  }

  #ofSession({ session }: Facts, now: number): TemporaryRule | undefined {
    if (this.#sessions.size === 0 || session.state === 'none') return undefined;
    const rule = standing(this.#sessions.get(sessionDigest(session.id)), now);
    // Two clients have that session: a decision that lets one of them in is not for the other.
    const isLost = session.state === 'issued' && session.lost !== undefined;
    return isLost && rule?.isLenient === true ? undefined : rule;
  }

  #ofAddress(ip: string, now: number): TemporaryRule | undefined {
    const { family, v4, v6 } = readAddress(ip);
    if (family === 'v4') {
      for (const { length, rules } of this.#v4) {
        const rule = standing(rules.get(maskV4(v4, length)), now);
        if (rule !== undefined) return rule;
      }
    } else if (family === 'v6') {
      for (const { length, rules } of this.#v6) {
        const rule = standing(rules.get(maskV6(v6, length)), now);
        if (rule !== undefined) return rule;
      }
    }
    return undefined;
  }

  #ofAsn(facts: Facts, now: number): TemporaryRule | undefined {
    return this.#asns.size === 0 ? undefined : standing(this.#asns.get(facts.asn()), now);
  }
}

/** A decision ends by itself, also while nothing replaces the list. */
function standing(rule: TemporaryRule | undefined, now: number): TemporaryRule | undefined {
  return rule !== undefined && rule.until > now ? rule : undefined;
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

function rulesOf<Key>(all: ByPrefix<Key>, length: number): Map<Key, TemporaryRule> {
  const known = all.find((one) => one.length === length);
  if (known !== undefined) return known.rules;
  const rules = new Map<Key, TemporaryRule>();
  all.push({ length, rules });
  all.sort((a, b) => b.length - a.length);
  return rules;
}

function maskV4(address: number, length: number): number {
  return length === 0 ? 0 : (address & (0xffff_ffff << (32 - length))) >>> 0;
}

/** The masked words as a text, since a map has no keys of 128 bits. */
function maskV6(words: Uint32Array, length: number): string {
  let text = '';
  for (let word = 0; word < 4; word += 1) {
    const bits = Math.min(32, Math.max(0, length - 32 * word));
    text += `${maskV4(words[word] ?? 0, bits).toString(36)}:`;
  }
  return text;
}
