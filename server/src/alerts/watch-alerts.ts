import type { RunQuery, SessionStore } from '@guard/config/contract/ports';
import type { AlertSettings } from '@guard/config/settings/sections/alerts';
import type { Settings } from '@guard/config/settings/schema';
import type { Close, ProcessContext } from '../process/process-context.ts';
import type { Alert } from './alert.ts';
import { eventConditions } from './event-conditions.ts';
import { metricConditions, type Reading } from './metric-conditions.ts';
import { sendAlert } from './send-alert.ts';
import { repeat } from '../process/repeat.ts';

interface AlertWatchOptions extends ProcessContext {
  /** The current settings, because a reload can change the receivers. */
  readonly settings: () => Pick<Settings, 'alerts' | 'organisations' | 'analytics'>;
  readonly runQuery: RunQuery;
  /** The budget of an alert is in the store, so only one of several instances sends it. */
  readonly store: Pick<SessionStore, 'take'>;
  readonly pauses?: typeof PAUSES;
}

/**
 * `metricsMs` is the pause between checks of the metrics, and `eventsMs` between checks of an organisation's events.
 * `comparedMs` is the age of the earlier metrics with which the current ones are compared.
 */
const PAUSES = { metricsMs: 10_000, eventsMs: 300_000, comparedMs: 60_000 };

/** An alert that no channel accepted is sent at most this many times. This takes ten minutes. */
const MAX_TRIES = 60;

/** Sends alerts when a person has to act. Does nothing while the settings name no receiver. */
export function watchAlerts(options: AlertWatchOptions): Close {
  const { clock, log, metrics, settings, runQuery, store, pauses = PAUSES } = options;
  let readings: Reading[] = [];
  let eventsAt = clock();
  let turn = 0;
  /**
   * Alerts that no channel has accepted yet. Their number is bounded by the number of conditions, organisations and
   * rules.
   */
  const unsentAlerts = new Map<string, { readonly alert: Alert; readonly tries: number }>();

  const checkAll = async (): Promise<void> => {
    const { alerts, organisations, analytics } = settings();
    if (alerts === undefined) {
      readings = [];
      return;
    }
    const reading: Reading = { atMs: clock(), values: await metrics.values() };
    // A time below zero means that the clock was set back.
    const isWithin = (atMs: number, ms: number) =>
      reading.atMs >= atMs && reading.atMs - atMs <= ms;
    const recentReadings = readings.filter(({ atMs }) => isWithin(atMs, pauses.comparedMs));
    const earlierReading = recentReadings[0] ?? readings.at(-1) ?? reading;
    const foundAlerts = metricConditions(earlierReading, reading, analytics !== undefined);
    readings = [...recentReadings, reading];
    // Each check reads only the events of one organisation, so that many organisations do not delay the alerts of the
    // metrics.
    const checkedOrganisation = organisations[turn % organisations.length];
    if (
      checkedOrganisation !== undefined &&
      !isWithin(eventsAt, pauses.eventsMs / organisations.length)
    ) {
      eventsAt = reading.atMs;
      turn += 1;
      const isDown = foundAlerts.some(({ name }) => name === 'origin_down');
      foundAlerts.push(...(await eventConditions(checkedOrganisation.id, runQuery, isDown)));
    }
    for (const { alert, tries } of [...unsentAlerts.values()])
      await sendOnce(alert, alerts, tries + 1);
    for (const alert of foundAlerts) {
      const budget = { requests: 1, perMs: alerts.cool_down };
      const waitMs = await store.take('alert', keyOf(alert), budget);
      if (waitMs > 0) continue;
      log('warn', 'alert', { alert: alert.name, seen: alert.seen });
      for (const { channel, fault } of await sendOnce(alert, alerts, 1)) {
        if (fault === undefined) continue;
        log('error', 'alert_unsent', { alert: alert.name, channel, fault });
      }
    }
  };

  const sendOnce = async (alert: Alert, receivers: AlertSettings, tries: number) => {
    const results = await sendAlert(alert, receivers, clock());
    const isDelivered = results.some(({ fault }) => fault === undefined);
    if (isDelivered || tries === MAX_TRIES) unsentAlerts.delete(keyOf(alert));
    else unsentAlerts.set(keyOf(alert), { alert, tries });
    return results;
  };

  return repeat(pauses.metricsMs, async () => {
    await checkAll().catch((error: unknown) => {
      log('error', 'alerts_unread', { reason: String(error) });
    });
    return pauses.metricsMs;
  });
}

function keyOf({ name, about }: Alert): string {
  return `${name} ${about}`;
}
