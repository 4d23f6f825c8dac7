import { OLD_AFTER_MS } from '@guard/config/catalogue/data-age';
import type { MetricValues } from './read-metrics.ts';

/** How old the data of others is that a Guard uses, in milliseconds. */
export interface DataAge {
  /** The oldest list of crawler addresses. */
  readonly crawlers: number;
  /** The oldest of the lists of networks and the databases. */
  readonly networks: number;
}

const DAY_MS = 86_400_000;

/** What the metrics of a Guard say; undefined for a Guard of a version that does not say it. */
export function dataAgeIn(values: MetricValues): DataAge | undefined {
  const crawlers = values.get('guard_crawler_ranges_age_seconds')?.get('');
  const networks = values.get('guard_network_data_age_seconds')?.get('');
  if (crawlers === undefined || networks === undefined) return undefined;
  return { crawlers: crawlers * 1000, networks: networks * 1000 };
}

/** `crawler lists 2 days old, network data 161 days old`. */
export function describeDataAge({ crawlers, networks }: DataAge): string {
  return `crawler lists ${daysOf(crawlers)} old, network data ${daysOf(networks)} old`;
}

function daysOf(ms: number): string {
  const days = Math.max(0, Math.floor(ms / DAY_MS));
  return days === 1 ? '1 day' : `${days} days`;
}

/** What to do about data that is too old; undefined where none is. */
export function adviceOnDataAge({ crawlers, networks }: DataAge): string | undefined {
  const advice = [
    ...(crawlers > OLD_AFTER_MS
      ? ['fetch the lists with guard crawlers refresh, or let Guard do it']
      : []),
    ...(networks > OLD_AFTER_MS ? ['update Guard, or name newer databases in the settings'] : []),
  ];
  if (advice.length === 0) return undefined;
  return `older than ${daysOf(OLD_AFTER_MS)}: ${advice.join('; ')}`;
}
