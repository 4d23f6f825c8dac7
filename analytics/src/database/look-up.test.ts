import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  eventsOfReference,
  eventsOfVisitor,
  addressCondition,
  sessionCondition,
  oneEvent,
} from '@guard/config/plain-words/find-events';
import { openWithoutKeys } from '../testing/open-analytics.ts';
import { describeServer, type DatabaseServer } from '../testing/server.ts';
import { until } from '../testing/until.ts';
import { organisationAccount } from './accounts.ts';

/** These tests measure how many of the rows of 20 days a look-up of one value reads. */

const ROWS = 100_000;
/**
 * Ten granules. ClickHouse reads the 8192 rows of a granule together. One granule has the value, and the others are
 * false matches of the index.
 */
const FEW_ROWS = 10 * 8192;
const DAY_MS = 86_400_000;
const INDEXES = ['by_reference', 'by_request_id', 'by_session', 'by_ip'];
const LOOK_UPS = {
  reference: eventsOfReference('REF12345', Date.now()),
  'request id': oneEvent('6f1e0e5c-0000-4000-8000-000000012345', Date.now()),
  session: eventsOfVisitor(sessionCondition('session-12345'), Date.now(), 20),
  address: eventsOfVisitor(addressCondition('2001:db8::12345'), Date.now(), 20),
};

let server: DatabaseServer;

beforeAll(async () => {
  server = await describeServer(['acme']);
  await server.start();
  await openAndClose();
});

afterAll(() => server.close());

/** Starts and closes Guard. The start updates the tables. */
async function openAndClose(): Promise<void> {
  const { url, writer } = server;
  const settings = { engine: 'clickhouse', url, ...writer } as const;
  const analytics = await openWithoutKeys(settings, ['acme']);
  await until('the server is ready', () => analytics.ready());
  await analytics.close();
}

/** Adds rows for this many days. Their values are numbered from `first`, and each value is in only one row. */
async function fillTable(first: number, days: number): Promise<void> {
  const sql = `INSERT INTO events (organisation, created_at, request_id, reference, session, session_sent, ip)
    SELECT 'acme', now64(3) - toIntervalMillisecond(intDiv((number - ${first}) * ${days * DAY_MS}, ${ROWS})),
      toUUID(concat('6f1e0e5c-0000-4000-8000-', leftPad(toString(number), 12, '0'))), concat('REF', toString(number)),
      '', concat('session-', toString(number)), concat('2001:db8::', toString(number)) FROM numbers(${first}, ${ROWS})`;
  expect(await server.ask(sql)).toBe('');
}

/** Runs a query with the organisation's account and its settings. */
async function readCount(sql: string): Promise<{ found: number; readRows: number }> {
  const { user, password } = organisationAccount('acme', server.writer.password);
  const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': password };
  const url = `${server.url}?database=default&wait_end_of_query=1`;
  const answer = await fetch(url, { method: 'POST', headers, body: `${sql} FORMAT TSV` });
  const summary = JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '{}') as object;
  const readRows = 'read_rows' in summary ? Number(summary.read_rows) : Number.NaN;
  return { found: (await answer.text()).split('\n').length - 1, readRows };
}

test('a table of an earlier version gets the indexes, also for its old rows, so that a look-up reads few rows', async () => {
  const dropClauses = INDEXES.map((name) => `DROP INDEX ${name}`).join(', ');
  expect(await server.ask(`ALTER TABLE events ${dropClauses}`)).toBe('');
  await fillTable(0, 20);
  for (const sql of Object.values(LOOK_UPS)) {
    const before = await readCount(sql);
    expect(before.found).toBe(1);
    expect(before.readRows).toBeGreaterThanOrEqual(ROWS);
  }
  await openAndClose();
  for (const [value, sql] of Object.entries(LOOK_UPS)) {
    const now = await until(`the index of the ${value} is built`, async () => {
      const answer = await readCount(sql);
      return answer.readRows < FEW_ROWS ? answer : undefined;
    });
    expect(now.found).toBe(1);
  }
});

test('not the insert but the merge after it builds the index', async () => {
  await fillTable(ROWS, 1);
  const sql = eventsOfReference(`REF${ROWS + 12_345}`, Date.now());
  expect((await readCount(sql)).readRows).toBeGreaterThanOrEqual(ROWS);
  expect(await server.ask('OPTIMIZE TABLE events FINAL')).toBe('');
  const { found, readRows } = await readCount(sql);
  expect(found).toBe(1);
  expect(readRows).toBeLessThan(FEW_ROWS);
});

test('a second start does not change the table', async () => {
  const readDefinition = (): Promise<string> =>
    server.ask('SHOW CREATE TABLE events FORMAT TSVRaw');
  const before = await readDefinition();
  for (const name of INDEXES) expect(before).toContain(`INDEX ${name} `);
  await openAndClose();
  expect(await readDefinition()).toBe(before);
});
