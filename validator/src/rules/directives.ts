import { ALLOWLIST_RULE } from '@guard/config/contract/allowlist-rule';
import { areRegexesSpent, beginRegexes } from '@guard/config/matching/regex';
import type { Match, Rule } from '@guard/config/settings/sections/rule';
import type { Sliced } from '@guard/config/time/slices';
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
  /**
   * Whether the rule matches in some reading of path, query and header fields. This is enough for strict directives.
   */
  readonly holds: Condition;
  /** Whether the rule matches in every reading of path, query and header fields. Lenient directives need this. */
  readonly surelyHolds: Condition;
  /** The result of isSureOfPlainPaths: for a plain path, `surelyHolds` is true when `holds` is true. */
  readonly sureOfPlainPaths: boolean;
  /** The directives that the rule sets when it matches in every reading. */
  readonly sets: Directives;
  /** The directives that the rule sets when only some readings match. None of them lets requests through. */
  readonly setsStrictly: Directives;
}

/** The value of a directive, and the rule that set the value. */
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

/** Compiled presets, which many organisations share. To compile their regular expressions takes a millisecond. */
const compiledPresets = new CompileOnce();
const compiledMatches = new CompileOnce();

interface RulesToCompile {
  readonly organisation: string;
  readonly rules: readonly Rule[];
  /** Rules of presets, which follow the organisation's own rules. */
  readonly presets?: readonly Rule[];
}

/**
 * Compiles the rules of one organisation in their order, and adds the built-in rule at the end. The generator pauses
 * after each rule. `earlierRules` are the compiled rules of this organisation before a reload. A rule that is among
 * them is not compiled again.
 */
export function* compileRules(
  { organisation, rules, presets = [] }: RulesToCompile,
  earlierRules: readonly CompiledRule[] = [],
): Sliced<CompiledRules> {
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

/** Compiles a rule of a preset. Without a budget it is equal for all organisations, so it is compiled only once. */
function compilePreset(preset: Rule, organisation: string): CompiledRule {
  return preset.rate_limit === undefined
    ? compiledPresets.compileOnce(preset, (rule) => compileRule(rule, ''))
    : compileRule(preset, organisation, compiledMatches.compileOnce(preset.match, compileReadings));
}

/** Compiles one rule. It needs the organisation, because the name of a budget contains the organisation. */
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
 * Finds the directives for a request. The first matching rule that sets a directive decides its value. Later rules do
 * not change it. `monitor: false` sets nothing, so it cannot end the monitor mode of another rule (contract 1).
 */
export function findDirectives(
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
  const ruleIndexes = index.find(facts);
  for (let ruleIndex = ruleIndexes.next(); ruleIndex !== END; ruleIndex = ruleIndexes.next()) {
    const rule = list[ruleIndex];
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
 * The directives of a rule that apply when only some readings match. None of them lets requests through. The rate limit
 * is missing here, because the caller adds it.
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
