import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { CrowdsecSettings } from '@guard/config/settings/schema';
import { expect, test } from 'vitest';
import { freePort } from '../../../test/kit/free-port.ts';
import { serve } from '../../../test/kit/serve.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { openUsageReport } from './report-usage.ts';

/**
 * These tests use the published format of CrowdSec 1.6.3, because this version could not be run.
 * test/flow/crowdsec.test.ts runs an older version.
 */

const MINUTE = 60_000;
const START = Date.parse('2026-03-01T10:00:00.700Z');

/** The contents of one report. */
interface Report {
  readonly sender: string;
  readonly path: string | undefined;
  readonly key: unknown;
  readonly body: unknown;
}

/** Opens a usage report with real metrics. Its server answers with `status`. */
async function openReport() {
  const state = { now: START, status: 201 };
  const reports: Report[] = [];
  const answer = async (request: IncomingMessage) => {
    const { method = '', url, headers } = request;
    reports.push({
      sender: `${method} ${headers['user-agent'] ?? ''}`,
      path: url,
      key: headers['x-api-key'],
      body: await json(request),
    });
  };
  const server = await serve((request, response) => {
    void answer(request).then(() => response.writeHead(state.status).end());
  });
  const lines: unknown[] = [];
  const metrics = createMetrics();
  metrics.count('guard_decisions_total', 'allow', 1000);
  metrics.count('guard_block_reasons_total', 'crowdsec_listed', 100);
  metrics.gauge('guard_crowdsec_decisions', () => 3);
  const report = await openUsageReport({
    ...{ clock: () => state.now, metrics },
    log: (...line) => lines.push(line),
  });
  const settingsFor = (url: string): CrowdsecSettings => ({ url, key: 'k', every: 10_000 });
  /** Moves the clock, sends the report if one is due, and returns the reports that the server got. */
  const reportAfter = async (minutes: number, url = `${server}/api/`) => {
    state.now += minutes * MINUTE;
    await report(settingsFor(url));
    return reports.splice(0);
  };
  return { state, metrics, lines, after: reportAfter };
}

const processedItem = (value: number) => ({ name: 'processed', unit: 'request', value });
const droppedItem = (value: number) => ({ name: 'dropped', unit: 'request', value });
const ACTIVE = { name: 'active_decisions', unit: 'ip', value: 3 };

/** Expects these numbers in a later report. */
function expectNumbers(report: Report | undefined, window: number, items?: readonly object[]) {
  const metrics = [{ meta: { window_size_seconds: window }, ...(items && { items }) }];
  expect(report?.body).toMatchObject({ remediation_components: [{ metrics }] });
}

test('every quarter of an hour CrowdSec gets the counts since the last report', async () => {
  const { metrics, after } = await openReport();
  metrics.count('guard_decisions_total', 'allow', 7);
  metrics.count('guard_decisions_total', 'challenge', 2);
  metrics.count('guard_block_reasons_total', 'crowdsec_listed');
  metrics.count('guard_block_reasons_total', 'http_client_user_agent');
  expect(await after(14)).toEqual([]);
  const component = {
    ...{ type: 'guard', name: 'guard', version: 'v1', feature_flags: [] },
    utc_startup_timestamp: Date.parse('2026-03-01T10:00:00Z') / 1000,
  };
  const meta = {
    window_size_seconds: 900,
    utc_now_timestamp: Date.parse('2026-03-01T10:15:00Z') / 1000,
  };
  expect(await after(1)).toEqual([
    {
      ...{ sender: 'POST guard/v1', path: '/api/v1/usage-metrics', key: 'k' },
      body: {
        remediation_components: [
          { ...component, metrics: [{ meta, items: [processedItem(9), droppedItem(1), ACTIVE] }] },
        ],
      },
    },
  ]);
  metrics.count('guard_decisions_total', 'block', 4);
  const [second] = await after(20);
  expectNumbers(second, 1200, [processedItem(4), droppedItem(0), ACTIVE]);
});

test.each([404, 405])(
  'a CrowdSec that does not know this path (%d) gets one report, and nothing is logged',
  async (status) => {
    const { state, lines, after } = await openReport();
    state.status = status;
    expect(await after(15)).toHaveLength(1);
    expect([await after(15), await after(15)]).toEqual([[], []]);
    expect(lines).toEqual([]);
  },
);

test('a report that was refused or could not be sent becomes part of the next report, and a refusal is logged once', async () => {
  const { state, metrics, lines, after } = await openReport();
  metrics.count('guard_decisions_total', 'allow', 5);
  await after(15, `http://127.0.0.1:${await freePort()}`);
  expect(lines).toEqual([]);
  state.status = 422;
  await after(15);
  await after(15);
  expect(lines).toEqual([['warn', 'crowdsec_usage_refused', { reason: 'status 422' }]]);
  state.status = 201;
  const [late] = await after(15);
  expectNumbers(late, 3600, [processedItem(5), droppedItem(0), ACTIVE]);
});

test('a clock that was set back begins a new window', async () => {
  const { after } = await openReport();
  expect(await after(-60)).toEqual([]);
  const [report] = await after(15);
  expectNumbers(report, 900);
});
