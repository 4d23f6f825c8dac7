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
  const rules = list.map(outlineOf);
  const names = rules.map((rule, place) => ({
    name: typeof rule['name'] === 'string' ? rule['name'] : undefined,
    path: [...path, place, 'name'],
  }));
  const message = `expected at least one of ${DIRECTIVES.join(', ')}`;
  const idleRules = rules.flatMap((rule, place) =>
    isIdle(rule) ? [{ path: [...path, place], message }] : [],
  );
  return [...findRepeated(names, 'each rule name once in an organisation'), ...idleRules];
}

/** It uses no schema, because a schema takes ten times as long for thousands of rules. */
function outlineOf(rule: unknown): Readonly<Record<string, unknown>> {
  return typeof rule === 'object' && rule !== null ? { ...rule } : {};
}

/** A rule without effect. A misspelt name is already another problem. */
function isIdle(rule: Readonly<Record<string, unknown>>): boolean {
  return (
    Object.hasOwn(rule, 'match') &&
    Object.keys(rule).every((name) => Object.hasOwn(Rule.shape, name)) &&
    !DIRECTIVES.some((name) => Object.hasOwn(rule, name))
  );
}
