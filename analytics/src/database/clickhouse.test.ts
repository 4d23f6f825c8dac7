import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWithoutKeys } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import type { Recorders } from '../testing/recorders.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import { describeServer } from '../testing/server.ts';
import type { DatabaseServer } from '../testing/server.ts';
import { until } from '../testing/until.ts';
import type { Analytics } from '../index.ts';

const privacy = { truncate_ip: true, drop_headers: ['x-account'] };
const DAY_MS = 86_400_000;
let server: DatabaseServer;

function open(recorders: Recorders, ...organisations: readonly string[]): Promise<Analytics> {
  const { url, writer, folder } = server;
  const spill = join(folder, 'spill');
  const settings = { engine: 'clickhouse', url, ...writer, spill, privacy } as const;
  return openWithoutKeys(settings, organisations, recorders);
}

function record(analytics: Analytics, rows: number, site: string): void {
  for (let index = 0; index < rows; index += 1) analytics.sink.record(sampleEvent({ site }));
}

beforeAll(async () => {
  server = await describeServer(['acme', 'late']);
});
afterAll(() => server.close());

test('events wait on disk while the server is away, survive a restart of Guard, and arrive once', async () => {
  const first = createRecorders();
  const before = await open(first, 'acme');
  record(before, 700, 'away');
  await before.close();
  expect(first.counterValue('guard_events_total', 'spilled')).toBe(700);
  expect(first.counterValue('guard_events_total', 'dropped')).toBe(0);
  expect(readdirSync(join(server.folder, 'spill')).length).toBeGreaterThan(0);

  const second = createRecorders();
  const after = await open(second, 'acme');
  record(after, 300, 'away');
  await server.start();
  await until(
    'all events are written',
    () => second.counterValue('guard_events_total', 'written') === 1000,
  );
  const countQuery = "SELECT count(), uniqExact(request_id) FROM events WHERE site = 'away'";
  expect(await server.ask(countQuery)).toBe('1000\t1000');
  expect(await server.ask('SELECT DISTINCT ip FROM events')).toBe('203.0.113.0');
  await until('the files are gone', () => readdirSync(join(server.folder, 'spill')).length === 0);
  await after.close();
});

test('when the folder is unusable, the log says so, and events wait in memory', async () => {
  const recorders = createRecorders();
  const { url, writer, folder } = server;
  const spill = join(folder, 'users.xml');
  const settings = { engine: 'clickhouse', url, ...writer, spill } as const;
  const analytics = await openWithoutKeys(settings, [], recorders);
  expect(recorders.lines.join()).toContain('analytics_spill_unusable');
  record(analytics, 10, 'memory');
  await until(
    'the events are written',
    () => recorders.counterValue('guard_events_total', 'written') === 10,
  );
  await analytics.close();
});

test('a new organisation can be queried at once, and one without an account is reported', async () => {
  const recorders = createRecorders();
  const analytics = await open(recorders, 'acme');
  await until('the server is ready', () => analytics.ready());
  const ask = (organisation: string): Promise<{ kind: string }> =>
    analytics.runQuery({ organisation, sql: 'SELECT count() FROM events_distributed' });
  expect(await ask('late')).toMatchObject({ kind: 'unavailable' });
  analytics.setOrganisations([{ id: 'acme' }, { id: 'late' }, { id: 'nowhere' }]);
  await until('the query is answered', async () => (await ask('late')).kind === 'rows');
  await until('the log names the other organisation', () =>
    recorders.lines.some((line) => line.includes('analytics_account_unusable')),
  );
  expect(await ask('nowhere')).toMatchObject({ kind: 'unavailable' });
  expect(await ask('acme')).toMatchObject({ kind: 'rows' });
  await analytics.close();
});

test('tables of an earlier version are changed to the current definition and keep their rows (contract 4.4)', async () => {
  const declaredColumns = `SELECT table, name, type, comment, compression_codec FROM system.columns
    WHERE database = 'default' ORDER BY table, position`;
  const presentColumns = await server.ask(declaredColumns);
  const rows = await server.ask('SELECT count(), sum(cityHash64(*)) FROM events');
  for (const table of ['events', 'events_distributed']) {
    const earlierDefinition = `ALTER TABLE ${table} MODIFY COLUMN headers CODEC(ZSTD(3)), COMMENT COLUMN body 'Words of then.'`;
    expect(await server.ask(earlierDefinition)).toBe('');
  }
  expect(await server.ask(declaredColumns)).not.toBe(presentColumns);
  const analytics = await open(createRecorders(), 'acme');
  await until('the server is ready', () => analytics.ready());
  await analytics.close();
  expect(await server.ask(declaredColumns)).toBe(presentColumns);
  expect(await server.ask('SELECT count(), sum(cityHash64(*)) FROM events')).toBe(rows);
});

test('rows are deleted after 90 days, headers and body after 14 (contract 2.7, 8)', async () => {
  const recorders = createRecorders();
  const analytics = await open(recorders, 'acme');
  await until('the server is ready', () => analytics.ready());
  // The background merges delete these rows too, but only hours later.
  const DELETE_SOON = 'ALTER TABLE events MODIFY SETTING merge_with_ttl_timeout = 1';
  expect(await server.ask(DELETE_SOON)).toBe('');
  const ages = [0, 13, 15, 89, 91, 400];
  for (const days of ages) {
    const createdAt = Date.now() - days * DAY_MS;
    const rule = `${days} days`;
    analytics.sink.record(
      sampleEvent({ createdAt, rule, site: 'old', headers: { a: '1', b: '2' }, body: 'c=3' }),
    );
  }
  await until(
    'all events are written',
    () => recorders.counterValue('guard_events_total', 'written') === 6,
  );
  const keptRowsQuery = `SELECT rule, length(headers), body, path FROM events WHERE site = 'old' ORDER BY created_at DESC`;
  const expectedRows = [
    '0 days\t2\tc=3\t/login',
    '13 days\t2\tc=3\t/login',
    '15 days\t0\t\t/login',
    '89 days\t0\t\t/login',
  ];
  await until(
    'the merges are done',
    async () => (await server.ask(keptRowsQuery)) === expectedRows.join('\n'),
  );
  await analytics.close();
});

test('forget deletes the rows of a session in all partitions, also rows that waited on disk; without the server it fails', async () => {
  await server.kill();
  const awayAnalytics = await open(createRecorders(), 'acme');
  const person = { kind: 'session', value: 'a'.repeat(32) } as const;
  expect(await awayAnalytics.forget('delete', 'acme', person)).toMatchObject({ kind: 'refused' });
  for (const days of [0, 3, 40]) {
    const createdAt = Date.now() - days * DAY_MS;
    awayAnalytics.sink.record(
      sampleEvent({ createdAt, site: 'forget', sessionSent: person.value }),
    );
    awayAnalytics.sink.record(sampleEvent({ createdAt, site: 'forget', session: 'b'.repeat(32) }));
  }
  await awayAnalytics.close();
  expect(readdirSync(join(server.folder, 'spill')).length).toBeGreaterThan(0);
  await server.start();
  const analytics = await open(createRecorders(), 'acme');
  await until('the server is ready', () => analytics.ready());
  expect(await analytics.forget('delete', 'other', person)).toMatchObject({ rows: 0, left: 0 });
  const [first, second] = await Promise.all([
    analytics.forget('delete', 'acme', person),
    analytics.forget('delete', 'acme', person),
  ]);
  expect(first).toEqual({ kind: 'deleted', rows: 3, left: 0, waiting: 0 });
  expect(second).toMatchObject({ kind: 'refused' });
  const keptRowsQuery = `SELECT count(), countIf(session = '') FROM events WHERE site = 'forget'`;
  expect(await server.ask(keptRowsQuery)).toBe('3\t0');
  await analytics.close();
});
