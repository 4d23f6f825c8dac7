import { type TimeRange, within } from '@guard/config/plain-words/find-events';
import { quote } from '@guard/config/plain-words/quote';
import type { Filter } from '../url-state.ts';
import { FIELDS } from './fields.ts';

/** Which rows a view is about. */
export interface Scope {
  readonly range: TimeRange;
  readonly site: string;
  readonly filters: readonly Filter[];
  /** Column of what is counted: what was enforced, or what was concluded. */
  readonly verdict: 'action' | 'decision';
}

/**
 * Site and filters as a condition; empty where all rows are meant. Filters of one field are
 * alternatives, and filters of different fields hold together. An excluded value is excluded always.
 */
export function conditionOf({ site, filters }: Pick<Scope, 'site' | 'filters'>): string {
  const wanted = new Map<string, string[]>();
  const parts = site === '' ? [] : [`site = ${quote(site)}`];
  for (const { field, value, exclude } of filters) {
    const condition = FIELDS[field].is(value);
    if (exclude) parts.push(`NOT (${condition})`);
    else wanted.set(field, [...(wanted.get(field) ?? []), condition]);
  }
  for (const all of wanted.values()) {
    parts.push(all.length === 1 ? (all[0] ?? '') : `(${all.join(' OR ')})`);
  }
  return parts.join(' AND ');
}

/** FROM and WHERE of the rows of a scope. */
export function rowsOf(scope: Scope, ...more: readonly string[]): string {
  return `FROM events_distributed\nWHERE ${[within(scope.range), conditionOf(scope), ...more].filter((part) => part !== '').join(' AND ')}`;
}

/** The period of the same length before. */
export function before({ from, to }: TimeRange): TimeRange {
  return { from: from - (to - from), to: from };
}
