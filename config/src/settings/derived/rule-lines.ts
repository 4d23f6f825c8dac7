import type { SettingPath } from '../problems/problems.ts';
import type { Position } from '../problems/problem-list.ts';
import type { Settings } from '../schema.ts';

/** Lines of the settings file, counted from 1. */
export interface RuleLines {
  readonly list: number;
  /** The line of each rule, in the order of the list. */
  readonly rules: readonly number[];
}

/**
 * The lines are stored beside the settings, because two files that differ only in their lines must give equal settings.
 * There is one entry for each list of rules, because each entry of a WeakMap makes every run of the garbage collector
 * longer.
 */
const linesByRules = new WeakMap<object, RuleLines>();

export function rememberRuleLines(
  { organisations }: Settings,
  positionOf: (path: SettingPath) => Position,
): void {
  organisations.forEach(({ rules }, index) => {
    const path = ['organisations', index, 'rules'];
    rememberLinesOf(rules, {
      list: positionOf(path).line,
      rules: rules.map((_, ruleIndex) => positionOf([...path, ruleIndex]).line),
    });
  });
}

export function rememberLinesOf(rules: readonly object[], ruleLines: RuleLines): void {
  linesByRules.set(rules, ruleLines);
}

/** The lines of rules. Undefined for rules that are in no file, such as the rules of presets. */
export function linesOf(rules: readonly object[]): RuleLines | undefined {
  return linesByRules.get(rules);
}

/** The line of a rule. Undefined for a rule that is in no file. */
export function ruleLine(rule: object, rules: readonly object[]): number | undefined {
  return linesByRules.get(rules)?.rules[rules.indexOf(rule)];
}
