import { afterAll, beforeAll, expect, test } from 'vitest';
import { QUERY } from '@guard/config/contract/limits';
import { openQueryServer, type QueryServer } from '../testing/query-server.ts';
import { describeServer, type DatabaseServer } from '../testing/server.ts';
import { until } from '../testing/until.ts';
import { usersXml } from '../database/access-config.ts';
import { ACCOUNT_SETTINGS } from '../database/accounts.ts';
import { accountStatements } from '../database/clickhouse.ts';

/** This statement reads numbers for hours and finds no row. */
const ENDLESS = 'SELECT count() FROM numbers(1000000000000000) WHERE cityHash64(number) = 1';

/** Because of the alias `events`, Guard does not adapt this statement to the local table. */
const CORRELATED_QUERY =
  'SELECT 1 FROM events_distributed AS events WHERE EXISTS (SELECT 1 FROM events_distributed AS f WHERE f.ip = events.ip)';

let server: DatabaseServer;
let door: QueryServer;

beforeAll(async () => {
  server = await describeServer(['acme'], { ...ACCOUNT_SETTINGS, max_execution_time: 1 });
  door = await openQueryServer(server);
});

afterAll(() => door.close());

test.each([
  [404, 47, 'SELECT no_such_column FROM events_distributed'],
  [404, 46, 'SELECT noSuchFunction()'],
  [408, 159, ENDLESS],
  [500, 215, 'SELECT path, count() FROM events_distributed'],
  [500, 396, 'SELECT 1 FROM numbers(1000001)'],
  [500, 153, 'SELECT intDiv(1, 0)'],
  [501, 48, CORRELATED_QUERY],
  [400, 62, 'SELECT 1 +'],
  [400, 6, "SELECT CAST('x' AS UInt8)"],
])('contract 4.3: status %i for the database error %i: %s', async (status, code, sql) => {
  const answer = await door.query(sql);
  expect([answer.status, answer.text]).toEqual([
    status,
    expect.stringMatching(new RegExp(`^Code: ${code}\\. .*\\([A-Z_]+\\)`, 's')),
  ]);
});

test('contract 8: the database ends a statement with an error at its time limit (1 s in this test)', async () => {
  const answer = await door.query(ENDLESS);
  expect(answer.status).toBe(408);
  expect(answer.text).toMatch(/^Code: 159\. .*maximum: 1000 ms.*TIMEOUT_EXCEEDED/);
  const running = "SELECT count() FROM system.processes WHERE query LIKE '%cityHash64(number)%'";
  await until(
    'the statement no longer runs',
    async () => (await server.ask(`${running} AND user = 'guard_acme'`)) === '0',
  );
});

test('contract 8: the accounts of the embedded engine and of a ClickHouse server have a time limit of 30 seconds', () => {
  expect(QUERY.maxExecutionS).toBe(30);
  expect(usersXml(server.writer, ['acme'])).toContain(
    '<max_execution_time>30</max_execution_time>',
  );
  const statements = accountStatements('acme', 'secret', undefined).join('\n');
  expect(statements).toContain('max_execution_time = 30 CONST');
});
