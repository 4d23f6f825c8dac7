import { afterAll, beforeAll, expect, test } from 'vitest';
import { QUERY } from '@guard/config/contract/limits';
import { openQueryDoor, type QueryDoor } from '../testing/query-door.ts';
import { describeServer, type DatabaseServer } from '../testing/server.ts';
import { until } from '../testing/until.ts';
import { usersXml } from '../database/access-config.ts';
import { ACCOUNT_SETTINGS } from '../database/accounts.ts';
import { accountStatements } from '../database/clickhouse.ts';

/** Reads numbers for hours, and brings forth no row meanwhile. */
const ENDLESS = 'SELECT count() FROM numbers(1000000000000000) WHERE cityHash64(number) = 1';

/** Its alias `events` keeps Guard from asking the table of that name. */
const CORRELATED =
  'SELECT 1 FROM events_distributed AS events WHERE EXISTS (SELECT 1 FROM events_distributed AS f WHERE f.ip = events.ip)';

let server: DatabaseServer;
let door: QueryDoor;

beforeAll(async () => {
  server = await describeServer(['acme'], { ...ACCOUNT_SETTINGS, max_execution_time: 1 });
  door = await openQueryDoor(server);
});

afterAll(() => door.close());

test.each([
  [404, 47, 'SELECT no_such_column FROM events_distributed'],
  [404, 46, 'SELECT noSuchFunction()'],
  [408, 159, ENDLESS],
  [500, 215, 'SELECT path, count() FROM events_distributed'],
  [500, 396, 'SELECT 1 FROM numbers(1000001)'],
  [500, 153, 'SELECT intDiv(1, 0)'],
  [501, 48, CORRELATED],
  [400, 62, 'SELECT 1 +'],
  [400, 6, "SELECT CAST('x' AS UInt8)"],
])('contract 4.3: %i is what the database answers error %i with: %s', async (status, code, sql) => {
  const answer = await door.query(sql);
  expect([answer.status, answer.text]).toEqual([
    status,
    expect.stringMatching(new RegExp(`^Code: ${code}\\. .*\\([A-Z_]+\\)`, 's')),
  ]);
});

test('contract 8: the database ends a statement at its execution time, and says so (here 1 s)', async () => {
  const answer = await door.query(ENDLESS);
  expect(answer.status).toBe(408);
  expect(answer.text).toMatch(/^Code: 159\. .*maximum: 1000 ms.*TIMEOUT_EXCEEDED/);
  const running = "SELECT count() FROM system.processes WHERE query LIKE '%cityHash64(number)%'";
  await until(
    'nothing of it runs on',
    async () => (await server.ask(`${running} AND user = 'guard_acme'`)) === '0',
  );
});

test('contract 8: in the accounts of a product that time is 30 seconds, in both kinds of them', () => {
  expect(QUERY.maxExecutionS).toBe(30);
  expect(usersXml(server.writer, ['acme'])).toContain(
    '<max_execution_time>30</max_execution_time>',
  );
  const statements = accountStatements('acme', 'secret', undefined).join('\n');
  expect(statements).toContain('max_execution_time = 30 CONST');
});
