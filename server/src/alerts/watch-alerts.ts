import type { RunQuery, SessionStore } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import type { Close, ProcessContext } from '../process/process-context.ts';
import type { Alert } from './alert.ts';
import { eventConditions } from './event-conditions.ts';
import { metricConditions, type Reading } from './metric-conditions.ts';
import { sendAlert } from './send-alert.ts';

export interface WatchedAlerts extends ProcessContext {
  /** The current ones: a reload changes who is told. */
  readonly settings: () => Pick<Settings, 'alerts' | 'organisations'>;
  readonly runQuery: RunQuery;
  /** Where instances share it, one of them tells. */
  readonly store: Pick<SessionStore, 'take'>;
  readonly pauses?: typeof PAUSES;
}

/** Time between two looks at the metrics and at the events, and the time over which counters are compared. */
const PAUSES = { metricsMs: 10_000, eventsMs: 300_000, comparedMs: 60_000 };

/** Tells a person when something needs one. Looks at nothing while the settings name no one to tell. */
export function watchAlerts(watched: WatchedAlerts): Close {
  const { clock, log, metrics, settings, runQuery, store, pauses = PAUSES } = watched;
  let readings: Reading[] = [];
  let eventsAt = clock();
  let timer: NodeJS.Timeout;

  const look = async (): Promise<void> => {
    const { alerts, organisations } = settings();
    if (alerts === undefined) {
      readings = [];
      return;
    }
    const now: Reading = { atMs: clock(), values: await metrics.values() };
    const recent = readings.filter(({ atMs }) => atMs >= now.atMs - pauses.comparedMs);
    const found = metricConditions(recent[0] ?? now, now);
    readings = [...recent, now];
    if (now.atMs - eventsAt >= pauses.eventsMs) {
      eventsAt = now.atMs;
      for (const { id } of organisations) found.push(...(await eventConditions(id, runQuery)));
    }
    for (const alert of found) {
      const budget = { requests: 1, perMs: alerts.cool_down };
      const waitMs = await store.take('alert', `${alert.name} ${alert.about}`, budget);
      if (waitMs === 0) await tell(alert, alerts);
    }
  };

  const tell = async (alert: Alert, to: NonNullable<Settings['alerts']>): Promise<void> => {
    log('warn', 'alert', { alert: alert.name, seen: alert.seen });
    for (const { channel, fault } of await sendAlert(alert, to, clock())) {
      if (fault !== undefined) log('error', 'alert_unsent', { alert: alert.name, channel, fault });
    }
  };

  const watch = async (): Promise<void> => {
    await look().catch((error: unknown) => {
      log('error', 'alerts_unread', { reason: String(error) });
    });
    timer = setTimeout(() => void watch(), pauses.metricsMs).unref();
  };
  timer = setTimeout(() => void watch(), pauses.metricsMs).unref();
  return () => {
    clearTimeout(timer);
    return Promise.resolve();
  };
}
