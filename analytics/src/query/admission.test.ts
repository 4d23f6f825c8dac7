import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT_SETTINGS } from '../database/accounts.ts';
import { openQueryServer, type QueryServer } from '../testing/query-server.ts';
import { describeServer } from '../testing/server.ts';

/**
 * Four of these statements need together more memory than the database has. All sizes are small, because a machine can
 * need seconds for the first use of one GiB.
 */

const DATABASE_BYTES = 500_000_000;
const STATEMENT_BYTES = 300_000_000;
/** Fewer bytes than in the product, because these statements have less memory. */
const GROUP_BYTES = 75_000_000;
/** Needs more than 200 MB. An array cannot move to disk, and its memory doubles above 2^23 numbers. */
const HEAVY = 'SELECT length(groupArray(number)) FROM numbers(8400000)';
/** Needs more memory than a single statement may use. */
const TOO_HEAVY = 'SELECT length(groupArray(number)) FROM numbers(100000000)';

let door: QueryServer;

beforeAll(async () => {
  const settings = {
    ...ACCOUNT_SETTINGS,
    max_memory_usage: STATEMENT_BYTES,
    max_bytes_before_external_group_by: GROUP_BYTES,
  };
  door = await openQueryServer(await describeServer(['acme'], settings, DATABASE_BYTES));
});

afterAll(() => door.close());

test('heavy statements of one key are all answered, because statements that find no memory wait', async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, () => door.query(HEAVY)));
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, text: '8400000\n' });
});

test('a GROUP BY that needs more memory than a statement may use continues with files on disk', async () => {
  const sql = 'SELECT count() FROM (SELECT number FROM numbers(8000000) GROUP BY number)';
  expect(await door.query(sql)).toMatchObject({ status: 200, text: '8000000\n' });
});

test('contract 4.3, default: a statement above its own memory limit fails at once', async () => {
  const { status, text, after } = await door.query(TOO_HEAVY);
  expect([status, after]).toEqual([500, undefined]);
  expect(text).toMatch(/^Code: 241\. .*Use a smaller range.*\(MEMORY_LIMIT_EXCEEDED\)\n$/s);
});
