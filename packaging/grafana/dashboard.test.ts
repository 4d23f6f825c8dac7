import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metrics } from '@guard/config/contract/metrics';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeUpload } from '../../validator/src/challenge/testing/answers.ts';
import { person, uploadOf } from '../../test/attack/challenged-visitor.ts';
import { freePort } from '../../test/kit/free-port.ts';
import { poll, send } from '../../test/kit/http.ts';
import {
  type RecordingOrigin,
  startRecordingOrigin,
} from '../../test/kit/origins/recording-origin.ts';
import { rowsOf } from '../../test/kit/product/sql.ts';
import { type Product, startProduct } from '../../test/kit/product/start-product.ts';
import { productSettings } from '../../test/kit/product/product-settings.ts';
import { chromeHttp, curl, googlebot } from '../../test/kit/visitors/visitors.ts';
import { readPromql } from './promql-selectors.ts';
import { readDashboard, targetsOf } from './read-dashboard.ts';
import { type Family, readPage } from './scrape.ts';

/**
 * These tests check that the queries of the Grafana dashboard find data in a started Guard with traffic of all kinds.
 */

const dashboard = readDashboard();
const targets = targetsOf(dashboard);
const promTargets = targets.flatMap(([title, target]) =>
  'expr' in target ? [{ title, ...target }] : [],
);
const sqlTargets = targets.flatMap(([title, target]) =>
  'rawSql' in target ? [{ title, ...target }] : [],
);
/** The labels that Prometheus adds to every sample. */
const OF_THE_SCRAPE: ReadonlySet<string> = new Set(['instance', 'job']);

let product: Product;
let origin: RecordingOrigin;
const refusing = createServer((_request, response) => response.writeHead(401).end());

beforeAll(async () => {
  origin = await startRecordingOrigin();
  refusing.listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  const { port } = refusing.address() as AddressInfo; // the address of a TCP listener is always an AddressInfo
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const key = 'key-of-the-remote-validators-7d2f';
  const settings = productSettings(origin.url, {
    rules: [
      { name: 'watched', match: { path: '/watched/**' }, verdict: 'block', monitor: true },
      { name: 'shut', match: { path: '/shut/**' }, verdict: 'block' },
      { name: 'open', match: { path: '/open/**' }, verdict: 'allow' },
      { name: 'everybody', match: {}, detect: true, challenge: 'always' },
    ],
    top: { workers: 2, store: { engine: 'memory', path: './store' } },
  });
  const site = { organisation: 'acme', origin: origin.url };
  const sites = [
    ...(settings['sites'] as unknown[]), // the form that productSettings makes
    { ...site, hosts: ['gone.example'], origin: nobody, protect: [] },
    { ...site, hosts: ['unasked.example'], validator: { url: nobody, key } },
    { ...site, hosts: ['refused.example'], validator: { url: `http://127.0.0.1:${port}`, key } },
  ];
  product = await startProduct({ ...settings, sites });
  await sendTraffic();
});

afterAll(async () => {
  await product.stop();
  await origin.close();
  refusing.closeAllConnections();
  refusing.close();
});

function visit(path: string, headers: Readonly<Record<string, string>>) {
  return send(`${product.addresses.gateway}${path}`, {
    headers: { ...headers, connection: 'close' },
  });
}

async function sendTraffic(): Promise<void> {
  for (const path of ['/shut/door', '/open/page', '/watched/page', '/']) await visit(path, curl);
  for (const host of ['gone', 'unasked', 'refused']) {
    await visit('/', { ...curl, host: `${host}.example` });
  }
  await visit('/open/page', googlebot);
  await visit('/shut/door', { ...chromeHttp, 'x-forwarded-for': '198.51.100.7' });
  const page = await visit('/', {
    ...person.headers,
    host: 'shop.example',
    'sec-fetch-mode': 'navigate',
  });
  const challenged = {
    ticket: /data-ticket="([^"]+)"/.exec(page.body)?.[1] ?? '',
    session: /_guard=([^;]+)/.exec(String(page.headers['set-cookie']))?.[1] ?? '',
    work: 0,
    reference: '',
  };
  const upload = await send(`${product.addresses.gateway}/.guard/verify`, {
    method: 'POST',
    headers: { ...person.headers, host: 'shop.example', 'content-type': 'application/json' },
    body: writeUpload(uploadOf(challenged)),
  });
  expect(upload.status).toBe(200);
}

async function scrape(): Promise<ReadonlyMap<string, Family>> {
  const { body } = await send(`${product.addresses.admin}/metrics`);
  return readPage(body);
}

/** Waits until all requests are counted, also by the threads, and returns the metrics page. */
async function scrapeAfterTraffic(): Promise<ReadonlyMap<string, Family>> {
  return poll(
    scrape,
    (page) =>
      page.get('guard_challenges_total')?.series === 1 &&
      page.get('guard_gateway_fail_closed_total')?.series === 1 &&
      page.get('guard_gateway_fail_open_total')?.series === 1 &&
      (page.get('guard_events_total')?.labels.get('fate')?.has('written') ?? false),
  );
}

describe('the Grafana dashboard', () => {
  test('every panel has its own id, and no two panels overlap', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const taken = new Map<string, string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.get(`${x},${y}`), `${title} at ${x},${y}`).toBeUndefined();
          taken.set(`${x},${y}`, title);
        }
      }
    }
  });

  test('every panel has a description, and the right data source for its queries', () => {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(panels.length).toBeGreaterThan(20);
    for (const { title, description, datasource, targets: asked } of panels) {
      expect(description, title).toBeDefined();
      expect(asked.length, title).toBeGreaterThan(0);
      expect(new Set(asked.map(({ refId }) => refId)).size, title).toBe(asked.length);
      for (const target of asked) expect(target.datasource, title).toEqual(datasource);
    }
  });

  test('data sources are variables of the dashboard with the right type', () => {
    const { list } = dashboard.templating;
    for (const [title, { datasource }] of targets) {
      const name = /^\$\{(\w+)\}$/.exec(datasource.uid)?.[1];
      const variable = list.find((candidate) => candidate.name === name);
      expect(variable, title).toMatchObject({ type: 'datasource', query: datasource.type });
    }
  });
});

describe('the queries of the Prometheus panels', () => {
  test.each(promTargets)('$title: $expr', async ({ expr, legendFormat = '' }) => {
    const page = await scrapeAfterTraffic();
    const { selectors, grouped } = readPromql(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, matchers, ranged, within } of selectors) {
      const family = page.get(metric);
      expect(family, metric).toBeDefined();
      // A counter is always shown as a rate. A gauge is never shown as a rate.
      const isCounted = family?.type === 'counter' || family?.type === 'histogram';
      expect([metric, ranged, within === 'rate' || within === 'increase']).toEqual([
        metric,
        isCounted,
        isCounted,
      ]);
      for (const label of [...grouped, ...matchers.map((matcher) => matcher.label)]) {
        if (!OF_THE_SCRAPE.has(label)) expect(labelsOf(metric, family), metric).toContain(label);
      }
      for (const { label, operator, value } of matchers) {
        if (!operator.includes('~')) expect(valuesOf(metric, label, family)).toContain(value);
      }
    }
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    expect(grouped).toEqual(expect.arrayContaining(shown));
  });

  /** The labels of a metric. When the page has no sample of the metric, they come from the contract. */
  function labelsOf(metric: string, family: Family | undefined): string[] {
    const seen = [...(family?.labels.keys() ?? [])];
    const label = metric in metrics ? metrics[metric as keyof typeof metrics].label : undefined;
    return family?.series === 0 && label !== undefined ? [label] : seen;
  }

  /** The values of a label in the samples and in the help text. */
  function valuesOf(metric: string, label: string, family: Family | undefined): string[] {
    const help = metric in metrics ? metrics[metric as keyof typeof metrics].help : '';
    return [...(family?.labels.get(label) ?? []), ...help.split(/[\s,:.]+/)];
  }
});

describe('the queries of the ClickHouse panels', () => {
  /** Replaces macros as the data source of Grafana does, for the last hour in steps of 20 seconds. */
  function written(rawSql: string): string {
    const now = Math.ceil(Date.now() / 1000);
    const sql = rawSql
      .replace(
        /\$__timeFilter\((\w+)\)/g,
        `$1 >= toDateTime(${now - 3600}) AND $1 <= toDateTime(${now})`,
      )
      .replace(
        /\$__timeInterval\((\w+)\)/g,
        'toStartOfInterval(toDateTime($1), INTERVAL 20 second)',
      );
    expect(sql).not.toContain('$');
    return sql;
  }

  test.each(sqlTargets)('$title', async ({ rawSql, queryType, format }) => {
    expect(rawSql).toMatch(/WHERE \$__timeFilter\(created_at\)/);
    expect(format).toBe(queryType === 'table' ? 1 : 0);
    const rows = await poll(
      () => rowsOf<Readonly<Record<string, unknown>>>(product, written(rawSql)),
      ({ length }) => length > 0,
    );
    if (queryType === 'table') expect(rawSql).toMatch(/LIMIT \d+$/);
    else expect(Object.keys(rows[0] ?? {})[0]).toBe('time');
  });
});
