import type { SettingPath } from '../problems/problems.ts';
import type { Position } from '../problems/problem-list.ts';
import type { Settings } from '../schema.ts';

/** Stored beside the settings: two files with equal settings must give equal settings. */
const lines = new WeakMap<object, number>();

/** Remembers the lines of each organisation's rules in the file. */
export function rememberRuleLines(
  { organisations }: Settings,
  positionOf: (path: SettingPath) => Position,
): void {
  organisations.forEach(({ rules }, index) => {
    const path = ['organisations', index, 'rules'];
    lines.set(rules, positionOf(path).line);
    rules.forEach((rule, place) => lines.set(rule, positionOf([...path, place]).line));
  });
}

/** The same for one rule, or for one list of rules. */
export function rememberRuleLine(rule: object, line: number): void {
  lines.set(rule, line);
}

/** The line of a rule, or of a list of rules, counted from 1. Undefined if it is in no file, such as a preset's rule. */
export function ruleLine(rule: object): number | undefined {
  return lines.get(rule);
}
