import type { Reason } from '@guard/config/contract/reasons';
import type { RateLimit, Rule } from '@guard/config/settings/rule';
import type { Facts } from '../request/facts.ts';
import { compileMatch, type Condition } from './compile-match.ts';

export interface CompiledRule {
  readonly rule: Rule;
  /** In some reading of the path: enough for what is strict. */
  readonly holds: Condition;
  /** In every reading of the path: needed for what is lenient. */
  readonly surelyHolds: Condition;
}

/** A directive's value and the rule that set it. */
export interface Directive<T> {
  readonly value: T;
  readonly by: Rule;
}

/** What the rules want of one request. What no rule set is undefined: nothing is enforced. */
export interface Directives {
  readonly verdict: Directive<'allow' | 'block'> | undefined;
  readonly detect: Directive<boolean> | undefined;
  readonly rateLimit: Directive<RateLimit> | undefined;
  readonly challenge: Directive<'auto' | 'always' | 'never'> | undefined;
  readonly monitor: boolean;
}

/** The built-in rule that runs last: a verified crawler on the allowlist passes. */
export const allowlistRule: Rule = {
  name: 'crawler allowlist',
  match: { crawler: { verified: true, allowlisted: true } },
  verdict: 'allow',
};

/** The rules of one organisation, compiled, in the user's order, with the built-in one behind. */
export function compileRules(rules: readonly Rule[]): readonly CompiledRule[] {
  return [...rules, allowlistRule].map((rule) => ({
    rule,
    holds: compileMatch(rule.match, 'some'),
    surelyHolds: compileMatch(rule.match, 'every'),
  }));
}

/**
 * For each directive the first matching rule that sets it decides, whatever stands further down.
 * `monitor: false` sets nothing: it cannot lift the monitor mode of another rule (spec 1).
 */
export function direct(
  rules: readonly CompiledRule[],
  facts: Facts,
  findings: () => readonly Reason[],
): Directives {
  let verdict: Directives['verdict'];
  let detect: Directives['detect'];
  let rateLimit: Directives['rateLimit'];
  let challenge: Directives['challenge'];
  let monitor = false;
  for (const { rule, holds, surelyHolds } of rules) {
    if (!holds(facts, findings)) continue;
    const surely = facts.paths.length === 1 || surelyHolds(facts, findings);
    const set = surely ? rule : strictPartOf(rule);
    verdict ??= directive(set.verdict, rule);
    detect ??= directive(set.detect, rule);
    rateLimit ??= directive(set.rate_limit, rule);
    challenge ??= directive(set.challenge, rule);
    monitor ||= set.monitor === true;
  }
  return { verdict, detect, rateLimit, challenge, monitor };
}

/** What is left of a rule where only some readings of the path match it: nothing that lets through. */
function strictPartOf(rule: Rule): Partial<Rule> {
  return {
    verdict: rule.verdict === 'block' ? 'block' : undefined,
    detect: rule.detect === true ? true : undefined,
    rate_limit: rule.rate_limit,
    challenge: rule.challenge === 'always' ? 'always' : undefined,
  };
}

function directive<T>(value: T | undefined, by: Rule): Directive<T> | undefined {
  return value === undefined ? undefined : { value, by };
}
