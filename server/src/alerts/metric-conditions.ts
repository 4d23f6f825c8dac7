import { OLD_AFTER_MS } from '@guard/config/catalogue/data-age';
import type { MetricName } from '@guard/config/contract/metrics';
import type { Alert } from './alert.ts';

/** Metrics by name and label, as MetricsPage.values() returns them, and the time at which they were read. */
export interface Reading {
  readonly atMs: number;
  readonly values: Readonly<Record<string, number>>;
}

/** A certificate with less time left causes an alert. Automatic renewal happens earlier. */
const CERTIFICATE_LEFT_MS = 14 * 86_400_000;
const OLD_AFTER_S = OLD_AFTER_MS / 1000;
/** Fewer origin errors cause no alert, because a few can come from a single visitor. */
export const LEAST_ORIGIN_ERRORS = 10;

/**
 * Returns the alerts for the metrics of this Guard. `before` is about a minute older than `now`. With `hasEvents`,
 * event-conditions.ts makes the alert for a silent site, because events show the networks of the visitors. Without
 * events, this function makes the alert `origin_errors`, which a single visitor can cause. `origin_down` does not
 * depend on `hasEvents`, because no visitor can make a site refuse connections.
 */
export function metricConditions(before: Reading, now: Reading, hasEvents: boolean): Alert[] {
  const seconds = Math.max(1, Math.round((now.atMs - before.atMs) / 1000));
  const growthOf = (name: MetricName, ...labels: readonly string[]): number =>
    sumOf(now, name, labels) - sumOf(before, name, labels);
  const alerts: Alert[] = [];
  const addAlert = (name: Alert['name'], seen: string, about = '') =>
    alerts.push({ name, about, seen });

  const unjudgedRequests = growthOf('guard_gateway_fail_open_total');
  if (unjudgedRequests > 0) {
    addAlert(
      'passed_unjudged',
      `${unjudgedRequests} requests in ${seconds} seconds reached the site without a decision.`,
    );
  }
  const originErrors = growthOf('guard_gateway_origin_errors_total');
  const refusedConnections = growthOf('guard_gateway_origin_errors_total', 'connect');
  // Only requests that were sent to the site are counted. Guard's own answers, such as those to blocked robots, would
  // hide the errors.
  const requests = growthOf('guard_gateway_requests_total', 'forwarded', 'failed');
  const isMost = (part: number) => part >= LEAST_ORIGIN_ERRORS && 2 * part > requests;
  const requestsText = `of ${requests} requests for the site in ${seconds} seconds`;
  if (isMost(refusedConnections)) {
    addAlert('origin_down', `${refusedConnections} ${requestsText} got no connection.`);
  } else if (isMost(originErrors) && !hasEvents) {
    addAlert(
      'origin_errors',
      `${originErrors} ${requestsText} got no answer. One visitor can cause this.`,
    );
  }
  if (
    sumOf(now, 'guard_gateway_one_address') > 0 &&
    sumOf(before, 'guard_gateway_one_address') > 0
  ) {
    addAlert(
      'one_address',
      'Nearly all requests come from one address. If that is your proxy, trusted_proxies lacks it.',
    );
  }
  if (now.values['guard_last_reload_successful'] === 0) {
    addAlert(
      'reload_refused',
      'The last good settings stay in use. The log line reload_refused has the mistakes.',
    );
  }
  const droppedEvents = growthOf('guard_events_total', 'dropped');
  if (droppedEvents > 0)
    addAlert('events_dropped', `${droppedEvents} events in ${seconds} seconds were not kept.`);
  if (sumOf(now, 'guard_store_away') > 0 && sumOf(before, 'guard_store_away') > 0) {
    addAlert('store_away', 'Redis gives no answer. Each instance decides with its own data only.');
  }
  alerts.push(...oldDataAlerts(now));
  const certificateExpiries = labelledValues(
    now,
    'guard_gateway_certificate_expiry_timestamp_seconds',
  );
  for (const [host, expiryS] of certificateExpiries) {
    const leftMs = expiryS * 1000 - now.atMs;
    if (leftMs < CERTIFICATE_LEFT_MS) {
      const expiryText =
        leftMs < 0 ? 'has ended' : `ends in ${Math.floor(leftMs / 86_400_000)} days`;
      addAlert('certificate_ends', `The certificate of ${host} ${expiryText}.`, host);
    }
  }
  return alerts;
}

function oldDataAlerts(now: Reading): Alert[] {
  const rangesAgeS = now.values['guard_crawler_ranges_age_seconds'] ?? 0;
  const daysOf = (seconds: number) => `${Math.floor(seconds / 86_400)} days`;
  const rangesAlert: Alert = {
    name: 'crawler_lists_old',
    about: '',
    seen: `The oldest list of crawler addresses is ${daysOf(rangesAgeS)} old.`,
  };
  // The lists of networks come with Guard, so their age does not show whether fetches fail.
  const databaseAlerts = labelledValues(now, 'guard_network_data_age_seconds')
    .filter(([data, seconds]) => data !== 'lists' && seconds > OLD_AFTER_S)
    .map(([data, seconds]): Alert => {
      const dataText = data === 'country' ? 'countries' : 'autonomous systems';
      const seen = `The database of ${dataText} is ${daysOf(seconds)} old.`;
      return { name: 'databases_old', about: data, seen };
    });
  return [...(rangesAgeS > OLD_AFTER_S ? [rangesAlert] : []), ...databaseAlerts];
}

/** Returns the sum over all labels, or over the given labels. */
function sumOf({ values }: Reading, name: MetricName, labels: readonly string[] = []): number {
  let total = values[name] ?? 0;
  for (const [label, value] of labelledValues({ values }, name)) {
    if (labels.length === 0 || labels.includes(label)) total += value;
  }
  return total;
}

/** Each metric has at most one label. */
function labelledValues(
  { values }: Pick<Reading, 'values'>,
  name: MetricName,
): (readonly [label: string, value: number])[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const label = key.startsWith(`${name}{`) ? /="(.*)"\}$/.exec(key)?.[1] : undefined;
    return label === undefined ? [] : [[label, value] as const];
  });
}
