import type { SettingPath } from '../problems/problems.ts';
import { Rule } from '../sections/rule.ts';
import { type Contradiction, findRepeated } from './repeated.ts';

const DIRECTIVES = ['verdict', 'detect', 'rate_limit', 'monitor', 'challenge'] as const;

/**
 * Finds repeated names among the rules of an organisation, and rules without effect. `path` is the path of the list.
 */
export function findRuleContradictions(
  list: readonly unknown[],
  path: SettingPath,
): Contradiction[] {
  const rules = list.map(settingsOf);
  const names = rules.map((rule, index) => ({
    name: typeof rule['name'] === 'string' ? rule['name'] : undefined,
    path: [...path, index, 'name'],
  }));
  const message = `expected at least one of ${DIRECTIVES.join(', ')}`;
  const idleProblems = rules.flatMap((rule, index) =>
    isIdle(rule) ? [{ path: [...path, index], message }] : [],
  );
  return [...findRepeated(names, 'each rule name only once in an organisation'), ...idleProblems];
}

/** The settings of a rule are not checked here: with thousands of rules, a schema would take ten times as long. */
function settingsOf(rule: unknown): Readonly<Record<string, unknown>> {
  return typeof rule === 'object' && rule !== null ? { ...rule } : {};
}

/** Whether a rule sets nothing. A rule with an unknown setting is not idle, because the schema already reports it. */
function isIdle(rule: Readonly<Record<string, unknown>>): boolean {
  return (
    Object.hasOwn(rule, 'match') &&
    Object.keys(rule).every((name) => Object.hasOwn(Rule.shape, name)) &&
    !DIRECTIVES.some((name) => Object.hasOwn(rule, name))
  );
}
