import type { CATEGORIES } from './categories.ts';
import type { Group, Strength } from './strengths.ts';

export type Category = (typeof CATEGORIES)[number];

/** What detection finds, at a visitor's request or in a challenge. It is weighed (strengths.ts). */
export interface FindingEntry {
  readonly category: Category;
  /** By default; guard.yaml may say otherwise. */
  readonly strength: Strength;
  readonly group: Group;
  readonly meaning: string;
}

/** What a rule or a limit decided, or why an upload was no answer. Nothing weighs it. */
export interface OutcomeEntry {
  readonly category: Category;
  readonly strength?: never;
  readonly group?: never;
  readonly meaning: string;
}

/** The entries of a category, by the identifiers of their reasons. */
export function inCategory<C extends Category, E extends Record<string, object>>(
  category: C,
  entries: E,
) {
  const named = Object.entries(entries).map(([name, entry]) => [name, { category, ...entry }]);
  // Object.fromEntries forgets the names.
  return Object.fromEntries(named) as { readonly [Name in keyof E]: E[Name] & { category: C } };
}

export const note = finding('note');
export const weak = finding('weak');
export const strong = finding('strong');
export const conclusive = finding('conclusive');

function finding<S extends Strength>(strength: S) {
  return (group: Group, meaning: string) => ({ strength, group, meaning });
}

export function outcome(meaning: string) {
  return { meaning };
}
