import type { TimeRange } from '@guard/config/plain-words/find-events';
import { isField, type FieldName } from './sql/fields.ts';

/** The state of the page is stored in the URL. So a view can be sent to a colleague, and the back button works. */

export const PERIODS = ['15m', '1h', '6h', '24h', '7d', '30d', '90d'] as const;
type Period = (typeof PERIODS)[number];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const PERIOD_MS: Readonly<Record<Period, number>> = {
  '15m': 15 * MINUTE,
  '1h': HOUR,
  '6h': 6 * HOUR,
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
};

const VIEWS = ['overview', 'events', 'rules', 'health'] as const;
export type View = (typeof VIEWS)[number];

export const SPLITS = [
  'action',
  'rule',
  'reason',
  'site',
  'crawler',
  'country',
  'asn',
  'browser',
] as const;
export type Split = (typeof SPLITS)[number];

/** One filter that a person has selected. */
export interface Filter {
  readonly field: FieldName;
  readonly value: string;
  /** True for rows without the value. */
  readonly exclude: boolean;
}

export interface UrlState {
  readonly view: View;
  readonly site: string;
  /** A period that ends now, or a fixed range. */
  readonly period: Period | TimeRange;
  /** `enforced` counts by the column `action`, and `concluded` by the column `decision`. */
  readonly basis: 'enforced' | 'concluded';
  readonly compare: boolean;
  readonly split: Split;
  readonly chart: 'requests' | 'rates';
  readonly lists: 'common' | 'networks' | 'programs';
  readonly grouped: boolean;
  readonly filters: readonly Filter[];
  /** The list shows events before this event: `<ms>.<request id>`, or `<ms>` for grouped events. */
  readonly before: string;
  /** The id of the request that is shown in full. */
  readonly event: string;
  /** The reference code to look up. */
  readonly reference: string;
}

export const START: UrlState = {
  view: 'overview',
  site: '',
  period: '24h',
  basis: 'enforced',
  compare: false,
  split: 'action',
  chart: 'requests',
  lists: 'common',
  grouped: false,
  filters: [],
  before: '',
  event: '',
  reference: '',
};

/** Parses a query string. Unknown parts are ignored. */
export function parseUrl(search: string): UrlState {
  const parameters = new URLSearchParams(search);
  const text = (name: string, pattern: RegExp): string => {
    const value = parameters.get(name) ?? '';
    return pattern.test(value) ? value : '';
  };
  return {
    view: oneOf(VIEWS, parameters.get('view')) ?? START.view,
    site: parameters.get('site') ?? '',
    period: periodOf(parameters),
    basis: parameters.get('basis') === 'concluded' ? 'concluded' : 'enforced',
    compare: parameters.has('compare'),
    split: oneOf(SPLITS, parameters.get('split')) ?? START.split,
    chart: parameters.get('chart') === 'rates' ? 'rates' : 'requests',
    lists: oneOf(['networks', 'programs'] as const, parameters.get('lists')) ?? START.lists,
    grouped: parameters.has('grouped'),
    filters: [
      ...parameters.getAll('is'),
      ...parameters.getAll('not').map((filter) => `!${filter}`),
    ].flatMap(filterOf),
    before: text('before', /^\d{1,15}(?:\.[0-9a-f-]{36})?$/),
    event: text('event', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    reference: text('reference', /^[0-9A-Z]{4,16}$/),
  };
}

/** Returns the query string of a state, with the question mark. Empty for the initial state. */
export function formatUrl(state: UrlState): string {
  const parameters = new URLSearchParams();
  const put = (name: string, value: string, usual: string): void => {
    if (value !== usual) parameters.set(name, value);
  };
  put('view', state.view, START.view);
  put('site', state.site, '');
  if (typeof state.period === 'string') put('period', state.period, '24h');
  else {
    parameters.set('from', String(state.period.from));
    parameters.set('to', String(state.period.to));
  }
  put('basis', state.basis, START.basis);
  if (state.compare) parameters.set('compare', '1');
  put('split', state.split, START.split);
  put('chart', state.chart, START.chart);
  put('lists', state.lists, START.lists);
  if (state.grouped) parameters.set('grouped', '1');
  for (const { field, value, exclude } of state.filters) {
    parameters.append(exclude ? 'not' : 'is', `${field}:${value}`);
  }
  put('before', state.before, '');
  put('event', state.event, '');
  put('reference', state.reference, '');
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns the range of a period. A period that ends now ends at `now`. */
export function rangeOf(period: Period | TimeRange, now: number): TimeRange {
  return typeof period === 'string' ? { from: now - PERIOD_MS[period], to: now } : period;
}

/** Returns the state with one more filter. The filter replaces an equal filter and its opposite. */
export function withFilter(state: UrlState, filter: Filter): UrlState {
  const otherFilters = state.filters.filter(
    ({ field, value }) => field !== filter.field || value !== filter.value,
  );
  return { ...state, filters: [...otherFilters, filter], before: '' };
}

function periodOf(parameters: URLSearchParams): Period | TimeRange {
  const from = Number(parameters.get('from') ?? Number.NaN);
  const to = Number(parameters.get('to') ?? Number.NaN);
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from < to;
  // Later times are invalid in the database.
  if (isRange && to < 4e12) return { from, to };
  return oneOf(PERIODS, parameters.get('period')) ?? '24h';
}

function filterOf(text: string): Filter[] {
  const exclude = text.startsWith('!');
  const colon = text.indexOf(':');
  const field = text.slice(exclude ? 1 : 0, colon);
  if (colon === -1 || !isField(field)) return [];
  return [{ field, value: text.slice(colon + 1), exclude }];
}

function oneOf<T extends string>(options: readonly T[], value: string | null): T | undefined {
  return options.find((option) => option === value);
}
