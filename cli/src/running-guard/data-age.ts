import { NETWORK_DATA, OLD_AFTER_MS } from '@guard/config/catalogue/data-age';
import type { MetricValues } from './read-metrics.ts';

/** The ages of published data, in milliseconds. */
export interface DataAge {
  /** The age of the oldest list of crawler addresses. */
  readonly crawlers: number;
  /** The age of the lists of networks, which come with Guard. */
  readonly lists: number;
  readonly country: number;
  readonly asn: number;
}

const DAY_MS = 86_400_000;

/** Reads the ages from the metrics. Undefined if the version of this Guard does not report them. */
export function dataAgeIn(values: MetricValues): DataAge | undefined {
  const crawlers = values.get('guard_crawler_ranges_age_seconds')?.get('');
  const networks = values.get('guard_network_data_age_seconds');
  const [lists, country, asn] = NETWORK_DATA.map((data) => networks?.get(data));
  if (crawlers === undefined || lists === undefined) return undefined;
  if (country === undefined || asn === undefined) return undefined;
  return {
    crawlers: crawlers * 1000,
    lists: lists * 1000,
    country: country * 1000,
    asn: asn * 1000,
  };
}

/**
 * The ages as text, such as `crawler lists 2 days old, countries 9 days old, autonomous systems 3 days old, network
 * lists 95 days old`.
 */
export function describeDataAge({ crawlers, lists, country, asn }: DataAge): string {
  return [
    `crawler lists ${daysOf(crawlers)} old`,
    `countries ${daysOf(country)} old`,
    `autonomous systems ${daysOf(asn)} old`,
    `network lists ${daysOf(lists)} old`,
  ].join(', ');
}

/** Whether one of the databases that Guard can fetch is too old. */
export function hasOldDatabases({ country, asn }: DataAge): boolean {
  return Math.max(country, asn) > OLD_AFTER_MS;
}

function daysOf(ms: number): string {
  const days = Math.max(0, Math.round(ms / DAY_MS));
  return days === 1 ? '1 day' : `${days} days`;
}

/** Advice about data that is too old. */
export function adviceOnDataAge(age: DataAge): string | undefined {
  const { crawlers, lists } = age;
  const advice = [
    ...(crawlers > OLD_AFTER_MS || hasOldDatabases(age)
      ? [
          'Guard fetches newer crawler lists, countries and autonomous systems while it runs, unless refresh is off; if they stay old, published_kept_back in its log says why',
        ]
      : []),
    ...(lists > OLD_AFTER_MS ? ['newer network lists come with a newer Guard'] : []),
  ];
  if (advice.length === 0) return undefined;
  return `older than ${daysOf(OLD_AFTER_MS)}: ${advice.join('; ')}`;
}
