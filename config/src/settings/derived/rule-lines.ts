import type { SettingPath } from '../problems/problems.ts';
import type { Position } from '../problems/problem-list.ts';
import type { Settings } from '../schema.ts';

/** Kept beside the settings and not in them: two files with the same settings are the same settings. */
const lines = new WeakMap<object, number>();

/** Remembers the line of each rule in the file that was read. */
export function rememberRuleLines(
  { organisations }: Settings,
  positionOf: (path: SettingPath) => Position,
): void {
  organisations.forEach(({ rules }, index) => {
    const path = ['organisations', index, 'rules'];
    rules.forEach((rule, place) => lines.set(rule, positionOf([...path, place]).line));
  });
}

/** The line of a rule, counted from 1. Undefined for a rule that is in no file, such as a preset's. */
export function ruleLine(rule: object): number | undefined {
  return lines.get(rule);
}
