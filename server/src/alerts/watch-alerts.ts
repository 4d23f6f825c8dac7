import type { RunQuery, SessionStore } from '@guard/config/contract/ports';
import type { AlertSettings } from '@guard/config/settings/sections/alerts';
import type { Settings } from '@guard/config/settings/schema';
import type { Close, ProcessContext } from '../process/process-context.ts';
import type { Alert } from './alert.ts';
import { eventConditions } from './event-conditions.ts';
import { metricConditions, type Reading } from './metric-conditions.ts';
import { sendAlert } from './send-alert.ts';
import { repeat } from '../process/repeat.ts';

export interface WatchedAlerts extends ProcessContext {
  /** The current settings, because a reload can change the receivers. */
  readonly settings: () => Pick<Settings, 'alerts' | 'organisations' | 'analytics'>;
  readonly runQuery: RunQuery;
  /** The budget of an alert is in the store, so only one of several instances sends it. */
  readonly store: Pick<SessionStore, 'take'>;
  readonly pauses?: typeof PAUSES;
}

/** Pauses between checks of the metrics and of an organisation's events, and the age of the compared metrics. */
const PAUSES = { metricsMs: 10_000, eventsMs: 300_000, comparedMs: 60_000 };

/** An alert that no channel accepted is sent again this often, which takes ten minutes. */
const MOST_TRIES = 60;

/** Sends alerts when a person has to act. Does nothing while the settings name no receiver. */
export function watchAlerts(watched: WatchedAlerts): Close {
  const { clock, log, metrics, settings, runQuery, store, pauses = PAUSES } = watched;
  let readings: Reading[] = [];
  let eventsAt = clock();
  let turn = 0;
  /** Alerts that no channel has accepted yet. There are at most as many as conditions, organisations and rules. */
  const unsent = new Map<string, { readonly alert: Alert; readonly tries: number }>();

  const check = async (): Promise<void> => {
    const { alerts, organisations, analytics } = settings();
    if (alerts === undefined) {
      readings = [];
      return;
    }
    const now: Reading = { atMs: clock(), values: await metrics.values() };
    // A time below zero means that the clock was set back.
    const isWithin = (atMs: number, ms: number) => now.atMs >= atMs && now.atMs - atMs <= ms;
    const recent = readings.filter(({ atMs }) => isWithin(atMs, pauses.comparedMs));
    const before = recent[0] ?? readings.at(-1) ?? now;
    const found = metricConditions(before, now, analytics !== undefined);
    readings = [...recent, now];
    // Each check reads the events of one organisation, in turn, so that many organisations do not delay the alerts of
    // the metrics.
    const asked = organisations[turn % organisations.length];
    if (asked !== undefined && !isWithin(eventsAt, pauses.eventsMs / organisations.length)) {
      eventsAt = now.atMs;
      turn += 1;
      const isDown = found.some(({ name }) => name === 'origin_down');
      found.push(...(await eventConditions(asked.id, runQuery, isDown)));
    }
    for (const { alert, tries } of [...unsent.values()]) await send(alert, alerts, tries + 1);
    for (const alert of found) {
      const budget = { requests: 1, perMs: alerts.cool_down };
      const waitMs = await store.take('alert', keyOf(alert), budget);
      if (waitMs > 0) continue;
      log('warn', 'alert', { alert: alert.name, seen: alert.seen });
      for (const { channel, fault } of await send(alert, alerts, 1)) {
        if (fault === undefined) continue;
        log('error', 'alert_unsent', { alert: alert.name, channel, fault });
      }
    }
  };

  const send = async (alert: Alert, to: AlertSettings, tries: number) => {
    const sent = await sendAlert(alert, to, clock());
    const isTold = sent.some(({ fault }) => fault === undefined);
    if (isTold || tries === MOST_TRIES) unsent.delete(keyOf(alert));
    else unsent.set(keyOf(alert), { alert, tries });
    return sent;
  };

  return repeat(pauses.metricsMs, async () => {
    await check().catch((error: unknown) => {
      log('error', 'alerts_unread', { reason: String(error) });
    });
    return pauses.metricsMs;
  });
}

/** The cool-down applies to each key. */
function keyOf({ name, about }: Alert): string {
  return `${name} ${about}`;
}
