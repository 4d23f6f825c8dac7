import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT_SETTINGS } from '../database/accounts.ts';
import { openQueryServer, type QueryServer } from '../testing/query-server.ts';
import { describeServer } from '../testing/server.ts';

/**
 * The statements of these tests need together more memory than the database has. The database has one GiB, and uses a
 * part of it itself.
 */

const GiB = 1024 ** 3;
/** Needs about 300 MiB for an array, which the database cannot move to disk. */
const HEAVY = 'SELECT length(groupArray(number)) FROM numbers(16000000)';
/** Needs more memory than a single statement may use. */
const TOO_HEAVY = 'SELECT length(groupArray(number)) FROM numbers(200000000)';

let door: QueryServer;

beforeAll(async () => {
  const settings = { ...ACCOUNT_SETTINGS, max_memory_usage: GiB / 2 };
  door = await openQueryServer(await describeServer(['acme'], settings, GiB));
});

afterAll(() => door.close());

test('heavy statements of one key are all answered, because statements that find no memory wait', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => door.query(HEAVY)));
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, text: '16000000\n' });
});

test('a GROUP BY that needs more memory than a statement may use continues with files on disk', async () => {
  const sql = 'SELECT count() FROM (SELECT number FROM numbers(12000000) GROUP BY number)';
  expect(await door.query(sql)).toMatchObject({ status: 200, text: '12000000\n' });
});

test('contract 4.3, default: a statement above its own memory limit fails at once', async () => {
  const { status, text, after } = await door.query(TOO_HEAVY);
  expect([status, after]).toEqual([500, undefined]);
  expect(text).toMatch(/^Code: 241\. .*Use a smaller range.*\(MEMORY_LIMIT_EXCEEDED\)\n$/s);
});
