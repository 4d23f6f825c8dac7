import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QUERY } from '@guard/config/contract/limits';
import { ACCOUNT_SETTINGS } from '../database/accounts.ts';
import { type Analytics, openAnalytics } from '../index.ts';
import { createRecorders } from '../testing/recorders.ts';
import { type DatabaseServer, describeServer } from '../testing/server.ts';
import { until } from '../testing/until.ts';

/** Statements that together need more memory than the database has: it has one GiB here, and uses some itself. */

const GiB = 1024 ** 3;
/** Needs about 300 MiB for an array, which the database cannot put on its disk. */
const HEAVY = 'SELECT length(groupArray(number)) FROM numbers(16000000)';
/** Needs more than any statement may have. */
const TOO_HEAVY = 'SELECT length(groupArray(number)) FROM numbers(200000000)';

let server: DatabaseServer;
let analytics: Analytics;
const app = fastify();

beforeAll(async () => {
  server = await describeServer(['acme'], { ...ACCOUNT_SETTINGS, max_memory_usage: GiB / 2 }, GiB);
  await server.start();
  const { log, metrics } = createRecorders();
  analytics = await openAnalytics({
    settings: { engine: 'clickhouse', url: server.url, ...server.writer },
    organisations: [{ id: 'acme' }],
    authenticate: () => ({ organisation: 'acme', key: 'only' }),
    clock: Date.now,
    log,
    metrics,
  });
  await app.register(analytics.routes);
  await until('the server is ready', () => analytics.ready());
});

afterAll(async () => {
  await app.close();
  await analytics.close();
  await server.close();
});

async function query(body: string): Promise<{ status: number; text: string; after: unknown }> {
  const headers = { authorization: 'Bearer x', 'content-type': 'text/plain' };
  const answer = await app.inject({ method: 'POST', url: '/query', headers, body });
  return { status: answer.statusCode, text: answer.body, after: answer.headers['retry-after'] };
}

test('heavy statements of one key at once: each is answered, as those wait that find no memory', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => query(HEAVY)));
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, text: '16000000\n' });
});

test('a GROUP BY that is larger than the memory of a statement goes on with files on the disk', async () => {
  const sql = 'SELECT count() FROM (SELECT number FROM numbers(12000000) GROUP BY number)';
  expect(await query(sql)).toMatchObject({ status: 200, text: '12000000\n' });
});

test('contract 4.3, default: a statement that needs too much by itself is an error of its own, which no waiting helps', async () => {
  const { status, text, after } = await query(TOO_HEAVY);
  expect([status, after]).toEqual([500, undefined]);
  expect(text).toMatch(/^Code: 241\. .*Put a smaller range.*\(MEMORY_LIMIT_EXCEEDED\)\n$/s);
});

test('contract 4.3, default: 503 and Retry-After, with code and identifier, where too many wait', async () => {
  const slow = 'SELECT sum(sipHash64(number)) FROM numbers(1000000)';
  const places = QUERY.runningOfKey + QUERY.maxWaiting;
  const answers = await Promise.all(Array.from({ length: places + 1 }, () => query(slow)));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toEqual([
    {
      status: 503,
      after: '2',
      text: 'Code: 202. DB::Exception: Too many queries of this key are waiting. Try again later. (TOO_MANY_SIMULTANEOUS_QUERIES)\n',
    },
  ]);
});
