import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRecorders, type Recorders } from '../testing/recorders.ts';
import { openTwoShards, type TwoShards } from '../testing/two-shards.ts';
import { until } from '../testing/until.ts';
import { CLUSTER } from './access-config.ts';
import { openRemote } from './clickhouse.ts';
import type { Engine } from './engine.ts';

const TABLES = 'events\nevents_distributed';
let cluster: TwoShards;
let recorders: Recorders;
let engine: Engine;

/** Connects like Guard while the second of two replicas is away. */
beforeEach(async () => {
  cluster = await openTwoShards(['acme'], 'copies');
  await cluster.loseSecond();
  recorders = createRecorders();
  const { url, writer } = cluster;
  engine = openRemote({
    settings: { engine: 'clickhouse', url, ...writer, cluster: CLUSTER },
    organisations: ['acme'],
    log: recorders.log,
    onReady: () => undefined,
    lookEveryMs: 0,
  });
  await until(
    'the cluster is ready',
    () => engine.state().kind === 'ready',
    45_000,
    recorders.lines,
  );
});

afterEach(async () => {
  await engine.close();
  await cluster.close();
});

function tablesOf(server: 0 | 1): Promise<string> {
  const sql = `SELECT DISTINCT table FROM system.columns WHERE table LIKE 'events%' ORDER BY table`;
  return cluster.ask(server, cluster.writer, sql);
}

test('Guard works without a missing replica, which gets its tables when it joins', async () => {
  expect(await tablesOf(0)).toBe(TABLES);
  const before = cluster.onCluster.length;
  await cluster.bringSecondBack();
  await until('the second server has the tables', async () => (await tablesOf(1)) === TABLES);
  await until('Guard reports the new server', () =>
    recorders.lines.join().includes('analytics_server_joined'),
  );
  await until('the accounts exist on the second server', () =>
    cluster.onCluster.slice(before).some((sql) => sql.startsWith('CREATE USER')),
  );
  expect(recorders.lines.join()).not.toContain('analytics_database_away');
  const laterChanges = cluster.onCluster
    .slice(before)
    .filter((sql) => sql.startsWith('ALTER TABLE'));
  expect(laterChanges).toEqual([]);
});
