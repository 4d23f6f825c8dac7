import { type TimeRange, rangeCondition } from '@guard/config/plain-words/find-events';
import { quote } from '@guard/config/plain-words/quote';
import type { Filter } from '../url-state.ts';
import { FIELDS } from './fields.ts';

/** The scope of a view: which rows it shows. */
export interface Scope {
  readonly range: TimeRange;
  readonly site: string;
  readonly filters: readonly Filter[];
  /**
   * The counted column: `action` (what was enforced) or `decision` (the verdict before monitor mode and observe mode).
   */
  readonly verdict: 'action' | 'decision';
}

/**
 * The condition for site and filters. Empty for all rows. Filters of one field are alternatives (OR). Filters of
 * different fields are combined with AND. An excluded value is always excluded.
 */
export function conditionOf({ site, filters }: Pick<Scope, 'site' | 'filters'>): string {
  const includedConditions = new Map<string, string[]>();
  const conditions = site === '' ? [] : [`site = ${quote(site)}`];
  for (const { field, value, exclude } of filters) {
    const condition = FIELDS[field].is(value);
    if (exclude) conditions.push(`NOT (${condition})`);
    else includedConditions.set(field, [...(includedConditions.get(field) ?? []), condition]);
  }
  for (const alternatives of includedConditions.values()) {
    conditions.push(
      alternatives.length === 1 ? (alternatives[0] ?? '') : `(${alternatives.join(' OR ')})`,
    );
  }
  return conditions.join(' AND ');
}

/** FROM and WHERE for the rows of a scope. */
export function rowsOf(scope: Scope, ...conditions: readonly string[]): string {
  return `FROM events_distributed\nWHERE ${[rangeCondition(scope.range), conditionOf(scope), ...conditions].filter((part) => part !== '').join(' AND ')}`;
}

/** The previous period with the same length. */
export function previousPeriod({ from, to }: TimeRange): TimeRange {
  return { from: from - (to - from), to: from };
}
