import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWithoutKeys } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import type { Recorders } from '../testing/recorders.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import { openTwoShards } from '../testing/two-shards.ts';
import type { TwoShards } from '../testing/two-shards.ts';
import { until } from '../testing/until.ts';
import type { Analytics } from '../index.ts';
import { CLUSTER } from './access-config.ts';
import { EVENT_COLUMNS } from '../events/columns/event-columns.ts';
import { UNREACHED_ERRORS } from '../query/database-error.ts';

const CANARY = 'canary-of-the-rival-6188';
const organisations = ['acme', 'rival'];
const recorders = createRecorders();
let cluster: TwoShards;
let analytics: Analytics;

async function open(givenRecorders?: Recorders): Promise<Analytics> {
  const { url, writer } = cluster;
  const settings = { engine: 'clickhouse', url, ...writer, cluster: CLUSTER } as const;
  const openedAnalytics = await openWithoutKeys(settings, organisations, givenRecorders);
  await until('the cluster is ready', () => openedAnalytics.ready());
  return openedAnalytics;
}

/** Records two hundred rows of each organisation. */
function record(site: string): void {
  for (let index = 0; index < 200; index += 1) {
    analytics.sink.record(sampleEvent({ site }));
    analytics.sink.record(sampleEvent({ site, organisation: 'rival', path: `/${CANARY}` }));
  }
}

async function waitUntilWritten(): Promise<void> {
  await until(
    'all events are acknowledged',
    () => recorders.gaugeValue('guard_events_queued') === 0,
  );
}

beforeAll(async () => {
  cluster = await openTwoShards(organisations);
  analytics = await open(recorders);
  record('first');
  await waitUntilWritten();
});

afterAll(async () => {
  await analytics.close();
  await cluster.close();
});

describe('a cluster of two shards (contract 2.7)', () => {
  test('Guard creates tables and columns on every server, and a second start does not change them', async () => {
    const columns = `SELECT groupArray(name) FROM system.columns WHERE table = 'events' FORMAT TSVRaw`;
    const names = EVENT_COLUMNS.map(({ name }) => `'${name}'`).join(',');
    for (const shard of [0, 1] as const) {
      expect(await cluster.ask(shard, cluster.writer, columns)).toBe(`[${names}]`);
    }
    const before = cluster.onCluster.length;
    await (await open()).close();
    const laterStatements = cluster.onCluster.slice(before);
    expect(laterStatements.filter((sql) => sql.includes(' TABLE '))).toEqual([]);
  });

  test('both shards get events; only events_distributed gives exact counts', async () => {
    const counts = [];
    for (const shard of [0, 1] as const) {
      const localCount = Number(
        await cluster.ask(shard, cluster.writer, 'SELECT count() FROM events'),
      );
      expect(localCount).toBeGreaterThan(0);
      counts.push(localCount);
      const countQuery = 'SELECT count() FROM events_distributed';
      expect(await cluster.ask(shard, cluster.writer, countQuery)).toBe('400');
      expect(await cluster.asOrganisation(shard, 'acme', countQuery)).toBe('200');
      const ownCount = 'SELECT count() FROM events';
      expect(Number(await cluster.asOrganisation(shard, 'acme', ownCount))).toBeLessThan(200);
    }
    expect(counts[0]).toBe(400 - (counts[1] ?? 0));
  });

  test('JOIN and IN give exact results over both shards', async () => {
    const sql = `SELECT count() FROM events_distributed WHERE request_id IN
      (SELECT request_id FROM events_distributed) AND site = 'first'`;
    expect(await query('acme', sql)).toBe('rows: 200\n');
    const joinQuery = `SELECT count() FROM events_distributed AS a
      JOIN events_distributed AS b ON a.request_id = b.request_id`;
    expect(await query('rival', joinQuery)).toBe('rows: 200\n');
  });

  test('a subquery over both shards selects rows of both shards, as the dashboard needs', async () => {
    const newestQuery = `SELECT groupArray((ip, request_id)) FROM (SELECT ip, request_id FROM events_distributed
      ORDER BY created_at DESC, request_id DESC LIMIT 1 BY request_id LIMIT 150)`;
    const sql = `WITH (${newestQuery}) AS newest SELECT count() FROM events_distributed
      WHERE has(newest.1, ip) AND has(newest.2, request_id)`;
    expect(await query('acme', sql)).toBe('rows: 150\n');
  });

  test('a correlated subquery gives an error with a remedy', async () => {
    const sql = `SELECT count() FROM events_distributed AS e WHERE EXISTS
      (SELECT 1 FROM events_distributed AS f WHERE f.ip = e.ip)`;
    expect(await query('acme', sql)).toMatch(
      /^database_error: Code: 48\. .* Use a JOIN, or IN .* \(NOT_IMPLEMENTED\)$/s,
    );
  });
});

describe('the second shard separates organisations as the first one does (contract 5)', () => {
  async function expectNothing(sql: string): Promise<void> {
    expect(await query('acme', sql)).toBe('rows: 0\n');
    for (const shard of [0, 1] as const) {
      expect(await cluster.asOrganisation(shard, 'acme', sql)).toBe('0');
    }
  }

  test.each([
    'SELECT count() FROM events_distributed WHERE organisation != $$acme$$',
    `SELECT count() FROM (SELECT * FROM events_distributed UNION ALL SELECT * FROM events) WHERE path LIKE '%${CANARY}%'`,
    `SELECT count() FROM events_distributed WHERE path IN (SELECT path FROM events_distributed WHERE path LIKE '%${CANARY}%')`,
  ])('a reader learns nothing about another organisation: %s', async (sql) => {
    await expectNothing(sql);
    expect(await query('rival', sql)).not.toBe('rows: 0\n');
  });

  test('a reader learns nothing from a statement that fails on rows of another organisation', async () => {
    const failsOn = (table: string) =>
      `SELECT count() FROM ${table} WHERE throwIf(path LIKE '%${CANARY}%')`;
    await expectNothing(failsOn('events_distributed'));
    // This statement runs on one server only. The engine can crash when a statement over both servers fails on both.
    expect(await cluster.asOrganisation(1, 'rival', failsOn('events'))).not.toBe('0');
  });
});

describe('one shard is away', () => {
  test.each([...UNREACHED_ERRORS])('the database names code %i as %s', async (code, name) => {
    const sql = `SELECT errorCodeToName(${code})`;
    expect(await cluster.ask(0, cluster.writer, sql)).toBe(name);
  });

  test('a query fails and does not return a too low count, its error names no server, and events wait', async () => {
    await cluster.loseSecond();
    const answer = await query('acme', 'SELECT count() FROM events_distributed');
    expect(answer).toMatch(/^database_error: Code: 279\. .*\(ALL_CONNECTION_TRIES_FAILED\)/s);
    expect(answer).not.toContain('127.0.0.1');
    for (const port of cluster.privatePorts) expect(answer).not.toContain(String(port));

    record('second');
    await until(
      'an attempt was made',
      () => recorders.counterValue('guard_events_total', 'retried') > 0,
    );
    expect(recorders.gaugeValue('guard_events_queued')).toBe(400);

    await cluster.bringSecondBack();
    await waitUntilWritten();
    const countQuery = 'SELECT count(), uniqExact(request_id) FROM events_distributed';
    expect(await query('acme', countQuery)).toBe('rows: 400\t400\n');
    expect(await query('rival', countQuery)).toBe('rows: 400\t400\n');
    expect(recorders.counterValue('guard_events_total', 'dropped')).toBe(0);
  });
});

async function query(organisation: string, sql: string): Promise<string> {
  const outcome = await analytics.runQuery({ organisation, sql });
  switch (outcome.kind) {
    case 'rows':
      return `rows: ${Buffer.from(outcome.body).toString()}`;
    case 'too_large':
    case 'revoked':
      return outcome.kind;
    case 'refused':
    case 'database_error':
    case 'unavailable':
      return `${outcome.kind}: ${outcome.message}`;
  }
}
