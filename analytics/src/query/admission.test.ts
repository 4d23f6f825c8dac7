import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT_SETTINGS } from '../database/accounts.ts';
import { openQueryDoor, type QueryDoor } from '../testing/query-door.ts';
import { describeServer } from '../testing/server.ts';

/** Statements that together need more memory than the database has: it has one GiB here, and uses some itself. */

const GiB = 1024 ** 3;
/** Needs about 300 MiB for an array, which the database cannot put on its disk. */
const HEAVY = 'SELECT length(groupArray(number)) FROM numbers(16000000)';
/** Needs more than any statement may have. */
const TOO_HEAVY = 'SELECT length(groupArray(number)) FROM numbers(200000000)';

let door: QueryDoor;

beforeAll(async () => {
  const settings = { ...ACCOUNT_SETTINGS, max_memory_usage: GiB / 2 };
  door = await openQueryDoor(await describeServer(['acme'], settings, GiB));
});

afterAll(() => door.close());

test('heavy statements of one key at once: each is answered, as those wait that find no memory', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => door.query(HEAVY)));
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, text: '16000000\n' });
});

test('a GROUP BY that is larger than the memory of a statement goes on with files on the disk', async () => {
  const sql = 'SELECT count() FROM (SELECT number FROM numbers(12000000) GROUP BY number)';
  expect(await door.query(sql)).toMatchObject({ status: 200, text: '12000000\n' });
});

test('contract 4.3, default: a statement that needs too much by itself is an error of its own, which no waiting helps', async () => {
  const { status, text, after } = await door.query(TOO_HEAVY);
  expect([status, after]).toEqual([500, undefined]);
  expect(text).toMatch(/^Code: 241\. .*Put a smaller range.*\(MEMORY_LIMIT_EXCEEDED\)\n$/s);
});
