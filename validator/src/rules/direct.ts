import { ALLOWLIST_RULE } from '@guard/config/contract/allowlist-rule';
import { areRegexesSpent, beginRegexes } from '@guard/config/matching/regex';
import type { Match, Rule } from '@guard/config/settings/sections/rule';
import type { Work } from '@guard/config/time/slices';
import type { Facts } from '../request/facts.ts';
import {
  compileMatch,
  type Condition,
  isSureOfPlainPaths,
  type LazyFindings,
} from './compile-match.ts';
import { CompileOnce } from './compile-once.ts';
import { compileLimit, type Limit } from './limit.ts';
import { END, type FindRules, RuleIndex } from './rule-index.ts';

interface CompiledRule {
  readonly rule: Rule;
  /** Whether the rule matches in some reading of path and query. This is enough for strict directives. */
  readonly holds: Condition;
  /** Whether the rule matches in every reading of path and query. Lenient directives need this. */
  readonly surelyHolds: Condition;
  /** Whether `holds` implies `surelyHolds` for a path with one reading that folding does not change. */
  readonly sureOfPlainPaths: boolean;
  /** The directives that the rule sets when it matches in every reading. */
  readonly sets: Directives;
  /** The directives that the rule sets when only some readings match. None of them lets requests through. */
  readonly setsStrictly: Directives;
}

/** A directive's value and the rule that set it. */
interface Directive<T> {
  readonly value: T;
  readonly by: Rule;
}

/** The directives of the rules for one request. A directive that no rule sets is undefined, and enforces nothing. */
export interface Directives {
  readonly verdict: Directive<'allow' | 'block'> | undefined;
  readonly detect: Directive<boolean> | undefined;
  readonly rateLimit: Directive<Limit> | undefined;
  readonly challenge: Directive<'auto' | 'always' | 'never'> | undefined;
  readonly monitor: boolean;
}

/** The built-in rule that runs last: a verified crawler on the allowlist passes. */
export const allowlistRule: Rule = {
  name: ALLOWLIST_RULE,
  match: { crawler: { verified: true, allowlisted: true } },
  verdict: 'allow',
};

export interface CompiledRules {
  readonly list: readonly CompiledRule[];
  readonly index: FindRules;
}

/** Presets that are already compiled. Many organisations share them. Their regular expressions take a millisecond. */
const compiledPresets = new CompileOnce();
const compiledMatches = new CompileOnce();

interface RulesToCompile {
  readonly organisation: string;
  readonly rules: readonly Rule[];
  /** These rules come after the organisation's own rules. */
  readonly presets?: readonly Rule[];
}

/**
 * Compiles the rules of one organisation in their order, and adds the built-in rule at the end. It pauses after each
 * rule. `earlierRules` are compiled rules of the same organisation. A rule that is already among them is not compiled
 * again.
 */
export function* compileRules(
  { organisation, rules, presets = [] }: RulesToCompile,
  earlierRules: readonly CompiledRule[] = [],
): Work<CompiledRules> {
  const knownRules = new Map(earlierRules.map((earlierRule) => [earlierRule.rule, earlierRule]));
  const list: CompiledRule[] = [];
  for (const rule of rules) {
    list.push(knownRules.get(rule) ?? compileRule(rule, organisation));
    yield;
  }
  for (const rule of [...presets, allowlistRule]) {
    list.push(compilePreset(rule, organisation));
    yield;
  }
  return { list, index: yield* RuleIndex.build(list.map(({ rule }) => rule.match)) };
}

/** A preset without a budget is the same for all organisations, so it is compiled once. */
function compilePreset(preset: Rule, organisation: string): CompiledRule {
  return preset.rate_limit === undefined
    ? compiledPresets.compileOnce(preset, (rule) => compileRule(rule, ''))
    : compileRule(preset, organisation, compiledMatches.compileOnce(preset.match, compileReadings));
}

/** The name of a budget contains the organisation. */
function compileRule(
  rule: Rule,
  organisation: string,
  compiledMatch: CompiledReadings = compileReadings(rule.match),
): CompiledRule {
  const limit = rule.rate_limit && compileLimit(organisation, rule, rule.rate_limit);
  return {
    rule,
    ...compiledMatch,
    sets: directivesOf(rule, limit, rule),
    setsStrictly: directivesOf(strictPartOf(rule), limit, rule),
  };
}

type CompiledReadings = Pick<CompiledRule, 'holds' | 'surelyHolds' | 'sureOfPlainPaths'>;

function compileReadings(match: Match): CompiledReadings {
  return {
    holds: compileMatch(match, 'some'),
    surelyHolds: compileMatch(match, 'every'),
    sureOfPlainPaths: isSureOfPlainPaths(match),
  };
}

/**
 * For each directive, the first matching rule that sets it decides. Later rules do not change it. `monitor: false` sets
 * nothing, so it cannot end the monitor mode of another rule (contract 1).
 */
export function direct(
  { list, index }: CompiledRules,
  facts: Facts,
  findings: LazyFindings,
): Directives {
  let verdict: Directives['verdict'];
  let detect: Directives['detect'];
  let rateLimit: Directives['rateLimit'];
  let challenge: Directives['challenge'];
  let monitor = false;
  const isPlain = facts.foldedPaths === facts.paths;
  beginRegexes();
  const places = index.find(facts);
  for (let place = places.next(); place !== END; place = places.next()) {
    const rule = list[place];
    if (rule?.holds(facts, findings) !== true) continue;
    const isSure = isPlain && rule.sureOfPlainPaths && !areRegexesSpent();
    const holdsSurely = isSure || rule.surelyHolds(facts, findings);
    const directives = holdsSurely ? rule.sets : rule.setsStrictly;
    verdict ??= directives.verdict;
    detect ??= directives.detect;
    rateLimit ??= directives.rateLimit;
    challenge ??= directives.challenge;
    monitor ||= directives.monitor;
  }
  return { verdict, detect, rateLimit, challenge, monitor };
}

/**
 * The part of a rule that counts when only some readings match: no directive that lets requests through. The caller
 * keeps the rate limit.
 */
function strictPartOf(rule: Rule): Partial<Rule> {
  return {
    verdict: rule.verdict === 'block' ? 'block' : undefined,
    detect: rule.detect === true ? true : undefined,
    challenge: rule.challenge === 'always' ? 'always' : undefined,
  };
}

function directivesOf(part: Partial<Rule>, limit: Limit | undefined, rule: Rule): Directives {
  return {
    verdict: directive(part.verdict, rule),
    detect: directive(part.detect, rule),
    rateLimit: directive(limit, rule),
    challenge: directive(part.challenge, rule),
    monitor: part.monitor === true,
  };
}

function directive<T>(value: T | undefined, rule: Rule): Directive<T> | undefined {
  return value === undefined ? undefined : { value, by: rule };
}
