import type { MetricName } from '@guard/config/contract/metrics';
import { OLD_AFTER_MS } from '@guard/config/catalogue/data-age';
import { dataAgeIn, hasOldDatabases } from '../running-guard/data-age.ts';
import type { MetricsRead, MetricValues } from '../running-guard/read-metrics.ts';
import type { Recent } from './recent.ts';

type MetricsReading = Extract<MetricsRead, { kind: 'read' }>;

/** One label of a counter, with its rate and its total since the start. */
export interface Rate {
  readonly name: string;
  readonly perSecond: number;
  readonly total: number;
}

export type Snapshot = ReturnType<typeof snapshotOf>;

/** The changes between two readings of the metrics of one Guard. */
export function snapshotOf(
  earlierReading: MetricsReading,
  laterReading: MetricsReading,
  recent: Recent,
) {
  const spanS = Math.max(0.001, (laterReading.atMs - earlierReading.atMs) / 1000);
  const rates = (metric: MetricName): Rate[] =>
    [...(laterReading.values.get(metric) ?? [])]
      .filter(([name]) => name !== '')
      .map(([name, total]) => {
        const earlier = earlierReading.values.get(metric)?.get(name) ?? 0;
        // A counter that decreased shows that the process was restarted.
        const increase = total < earlier ? total : total - earlier;
        return { name, perSecond: increase / spanS, total };
      })
      .toSorted((a, b) => b.perSecond - a.perSecond || b.total - a.total);
  return {
    atMs: laterReading.atMs,
    /** The time in seconds over which rates are computed. */
    spanS,
    decisions: rates('guard_decisions_total'),
    requests: rates('guard_gateway_requests_total'),
    challenges: rates('guard_challenges_total'),
    originErrors: rates('guard_gateway_origin_errors_total'),
    failedOpen: rates('guard_gateway_fail_open_total'),
    sessions: gauge(laterReading.values, 'guard_sessions'),
    eventsQueued: gauge(laterReading.values, 'guard_events_queued'),
    /** The age of published data. Undefined if Guard does not report it. */
    dataAge: dataAgeIn(laterReading.values),
    /** Sentences for the operator about urgent problems. */
    alarms: alarmsOf(laterReading.values, rates('guard_events_total')),
    recent,
  };
}

export function totalPerSecond(rates: readonly Rate[]): number {
  return rates.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

function gauge(values: MetricValues, metric: MetricName): number {
  return values.get(metric)?.get('') ?? 0;
}

function alarmsOf(values: MetricValues, events: readonly Rate[]): string[] {
  const alarms: string[] = [];
  const addAlarm = (holds: boolean, sentence: string) => {
    if (holds) alarms.push(sentence);
  };
  const droppedPerSecond = events.find(({ name }) => name === 'dropped')?.perSecond ?? 0;
  addAlarm(
    gauge(values, 'guard_gateway_one_address') === 1,
    'nearly all requests come from one address',
  );
  addAlarm(gauge(values, 'guard_store_away') === 1, 'the shared store gives no answer');
  addAlarm(
    gauge(values, 'guard_gateway_validators_away') > 0,
    'a remote validator gives no answer',
  );
  addAlarm(
    values.get('guard_last_reload_successful')?.get('') === 0,
    'the settings that were read last were refused',
  );
  addAlarm(
    gauge(values, 'guard_settings_awaiting_restart') > 0,
    'changed settings wait for a restart',
  );
  addAlarm(droppedPerSecond > 0, 'events are dropped');
  const age = dataAgeIn(values);
  addAlarm((age?.crawlers ?? 0) > OLD_AFTER_MS, 'the lists of crawlers are old');
  addAlarm(
    age !== undefined && hasOldDatabases(age),
    'the databases of countries and autonomous systems are old',
  );
  return alarms;
}
