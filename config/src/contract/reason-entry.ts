import type { CATEGORIES } from './categories.ts';
import type { Group, Strength } from './strengths.ts';

export type Category = (typeof CATEGORIES)[number];

/** A finding of detection in a visitor's request or in a challenge. It has a weight (strengths.ts). */
export interface FindingEntry {
  readonly category: Category;
  /** The default strength. guard.yaml can change it. */
  readonly strength: Strength;
  readonly group: Group;
  readonly meaning: string;
}

/** A decision of a rule or a limit, or the reason why an upload was not a valid answer. It has no weight. */
export interface OutcomeEntry {
  readonly category: Category;
  readonly strength?: never;
  readonly group?: never;
  readonly meaning: string;
}

export function inCategory<C extends Category, E extends Record<string, object>>(
  category: C,
  entries: E,
) {
  const namedEntries = Object.entries(entries).map(([name, entry]) => [
    name,
    { category, ...entry },
  ]);
  // The cast is needed, because the result type of Object.fromEntries has string keys.
  return Object.fromEntries(namedEntries) as {
    readonly [Name in keyof E]: E[Name] & { category: C };
  };
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
