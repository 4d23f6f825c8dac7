import { describe, expect, test } from 'vitest';
import { metricConditions, type Reading } from './metric-conditions.ts';

const NOW = Date.UTC(2026, 10, 25, 12);

describe('conditions of the metrics', () => {
  const valuesBefore: Reading = { atMs: NOW - 60_000, values: {} };
  const CALM = {
    'guard_gateway_requests_total{outcome="forwarded"}': 100,
    'guard_gateway_fail_open_total{reason="timeout"}': 0,
    'guard_gateway_origin_errors_total{reason="connect"}': 0,
    guard_gateway_one_address: 0,
    guard_last_reload_successful: 1,
    'guard_events_total{fate="recorded"}': 100,
    'guard_events_total{fate="dropped"}': 0,
    guard_store_away: 0,
    guard_crawler_ranges_age_seconds: 40 * 86_400,
    'guard_network_data_age_seconds{data="lists"}': 90 * 86_400,
    'guard_network_data_age_seconds{data="asn"}': 40 * 86_400,
    'guard_gateway_certificate_expiry_timestamp_seconds{host="shop.example"}':
      NOW / 1000 + 15 * 86_400,
  };
  const foundAlerts = (
    values: Readonly<Record<string, number>>,
    earlier: typeof values = {},
    hasEvents = true,
  ) =>
    metricConditions(
      { ...valuesBefore, values: { ...CALM, ...earlier } },
      { atMs: NOW, values: { ...CALM, ...values } },
      hasEvents,
    ).map(({ name, about, seen }) => [name, about, seen]);

  test('a calm minute causes no alert', () => {
    expect(foundAlerts({})).toEqual([]);
  });

  test.each([
    [
      'requests passed unjudged',
      { 'guard_gateway_fail_open_total{reason="timeout"}': 3 },
      'passed_unjudged',
      /^3 requests in 60 seconds/,
    ],
    [
      'origin down',
      {
        'guard_gateway_origin_errors_total{reason="connect"}': 30,
        'guard_gateway_requests_total{outcome="forwarded"}': 150,
      },
      'origin_down',
      /^30 of 50 requests/,
    ],
    [
      'origin down, while Guard answers most requests itself',
      {
        'guard_gateway_origin_errors_total{reason="connect"}': 30,
        'guard_gateway_requests_total{outcome="failed"}': 30,
        'guard_gateway_requests_total{outcome="served"}': 5_000,
        'guard_gateway_requests_total{outcome="unknown_host"}': 5_000,
      },
      'origin_down',
      /^30 of 30 requests/,
    ],
    [
      'a refused reload',
      { guard_last_reload_successful: 0 },
      'reload_refused',
      /last good settings/,
    ],
    ['dropped events', { 'guard_events_total{fate="dropped"}': 7 }, 'events_dropped', /^7 events/],
    [
      'old lists',
      { guard_crawler_ranges_age_seconds: 46 * 86_400 },
      'crawler_lists_old',
      /46 days old/,
    ],
    [
      'an old database',
      { 'guard_network_data_age_seconds{data="asn"}': 46 * 86_400 },
      'databases_old',
      /autonomous systems is 46 days old/,
    ],
    [
      'an old certificate',
      {
        'guard_gateway_certificate_expiry_timestamp_seconds{host="shop.example"}':
          NOW / 1000 + 3.5 * 86_400,
      },
      'certificate_ends',
      /^The certificate of shop\.example ends in 3 days/,
    ],
    [
      'a certificate that has ended',
      { 'guard_gateway_certificate_expiry_timestamp_seconds{host="shop.example"}': NOW / 1000 - 1 },
      'certificate_ends',
      /has ended\.$/,
    ],
  ] as const)('%s', (_, values, name, expectedText) => {
    const [alert, ...more] = foundAlerts(values);
    expect(more).toEqual([]);
    expect(alert?.[0]).toBe(name);
    expect(alert?.[2]).toMatch(expectedText);
  });

  test('one address for all visitors causes an alert only when it lasts, and so does a store that is away', () => {
    for (const name of ['guard_gateway_one_address', 'guard_store_away']) {
      expect(foundAlerts({ [name]: 1 })).toEqual([]);
      expect(foundAlerts({ [name]: 1 }, { [name]: 1 })).toHaveLength(1);
    }
  });

  test.each(['timeout', 'reset', 'malformed', 'truncated', 'busy'])(
    'requests that the site answers with %s never cause origin_down, because one visitor can send them',
    (reason) => {
      const errors = {
        [`guard_gateway_origin_errors_total{reason="${reason}"}`]: 30,
        'guard_gateway_requests_total{outcome="failed"}': 30,
      };
      expect(foundAlerts(errors)).toEqual([]);
      expect(foundAlerts(errors, {}, false).map(([name]) => name)).toEqual(['origin_errors']);
    },
  );

  test('a site that accepts no connection causes one alert, also without events', () => {
    const errors = { 'guard_gateway_origin_errors_total{reason="connect"}': 120 };
    expect(foundAlerts(errors, {}, false).map(([name]) => name)).toEqual(['origin_down']);
  });

  test('a few origin errors among many requests cause no alert', () => {
    const errors = { 'guard_gateway_origin_errors_total{reason="connect"}': 30 };
    expect(
      foundAlerts({ ...errors, 'guard_gateway_requests_total{outcome="forwarded"}': 200 }),
    ).toEqual([]);
    expect(foundAlerts({ 'guard_gateway_origin_errors_total{reason="connect"}': 9 })).toEqual([]);
  });
});
