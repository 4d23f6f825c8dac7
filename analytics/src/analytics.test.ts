import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/kit/test-folder.ts';
import { createBearerAuth } from '@guard/config/settings/keys/key-ring';
import { mixedStatement } from './testing/mixed-statement.ts';
import { seededRandom } from '../../test/kit/seeded-random.ts';
import { textOf } from './testing/open-analytics.ts';
import { createRecorders } from './testing/recorders.ts';
import { sampleEvent } from './testing/sample-event.ts';
import { until } from './testing/until.ts';
import { EVENT_COLUMNS } from './events/columns/event-columns.ts';
import { type Analytics, openAnalytics } from './index.ts';

const ACME_KEY = 'sk_api_ro_acme_of_this_test';
const RIVAL_KEY = 'sk_api_ro_rival_of_this_test';
const RIVAL_CANARY = 'canary-of-the-rival-8361';
const FILE_CANARY = 'canary-of-the-file-5127';

const folder = testFolder();
const secretFile = join(folder, 'secret.txt');
const recorders = createRecorders();
const organisations = [
  { id: 'acme', analytics_keys: [{ id: 'k', key: sha256(ACME_KEY) }] },
  { id: 'rival', analytics_keys: [{ id: 'k', key: sha256(RIVAL_KEY) }] },
];

let analytics: Analytics;
let app: FastifyInstance;
let address = '';

function sha256(text: string) {
  return createHash('sha256').update(text).digest();
}

async function open(): Promise<Analytics> {
  const openedAnalytics = await openAnalytics({
    settings: { engine: 'embedded', path: join(folder, 'data') },
    organisations,
    authenticate: createBearerAuth(organisations, Date.now),
    clock: Date.now,
    log: recorders.log,
    metrics: recorders.metrics,
  });
  await until('the engine is ready', () => openedAnalytics.ready());
  return openedAnalytics;
}

async function post(sql: string, key = ACME_KEY): Promise<{ response: Response; text: string }> {
  const response = await fetch(`${address}/query?user=writer&query=SELECT+2&max_threads=1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
    body: sql,
  });
  return { response, text: await response.text() };
}

async function count(condition: string, key?: string): Promise<number> {
  const { text } = await post(`SELECT count() FROM events_distributed WHERE ${condition}`, key);
  return Number(text);
}

/** The process id of the engine after its last start. */
function enginePid(): number {
  const ready = recorders.lines.filter((line) => line.includes('analytics_ready')).at(-1) ?? '';
  return Number(/"pid":(\d+)/.exec(ready)?.[1]);
}

beforeAll(async () => {
  writeFileSync(secretFile, FILE_CANARY);
  analytics = await open();
  app = Fastify();
  await app.register(analytics.routes);
  await app.listen({ host: '127.0.0.1', port: 0 });
  address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  for (let round = 0; round < 20; round += 1) {
    analytics.sink.record(sampleEvent());
    analytics.sink.record(
      sampleEvent({
        organisation: 'rival',
        path: `/${RIVAL_CANARY}`,
        headers: { 'x-note': RIVAL_CANARY },
        blockReasons: [RIVAL_CANARY],
      }),
    );
  }
  await until('the events are there', async () => (await count('1')) === 20);
});

afterAll(async () => {
  await app.close();
  await analytics.close();
});

describe('event records (contract 2.7)', () => {
  test('a recorded event comes back by SQL with every field', async () => {
    const event = sampleEvent({
      createdAt: Date.UTC(2026, 10, 20, 12, 30, 15, 123),
      site: 'every-field',
      session: '0f0e0d0c-0b0a-4908-8706-050403020100',
      crawler: {
        id: 'c1',
        name: 'Googlebot',
        category: 'Search Engine',
        rslCategory: 'search',
        verified: true,
      },
      path: '/ünïcode/\ud800/\u0000/"\'\\\t\n',
      statusCode: 451,
      headers: { Accept: 'text/html', Cookie: 'a=b', Authorization: 'Basic eDp5' },
    });
    analytics.sink.record(event);
    const row = await until('the event is there', async () => {
      const { text } = await post(
        "SELECT * FROM events_distributed WHERE site = 'every-field' FORMAT JSONEachRow",
      );
      return text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
    });
    expect(Object.keys(row)).toEqual(EVENT_COLUMNS.map((column) => column.name));
    expect(row).toMatchObject({
      created_at: '2026-11-20 12:30:15.123',
      request_id: event.requestId,
      organisation: 'acme',
      action: 'block',
      status_code: 451,
      block_reasons: event.blockReasons,
      block_reason_categories: event.blockReasonCategories,
      crawler_name: 'Googlebot',
      crawler_verified: true,
      path: '/ünïcode/\ufffd/\u0000/"\'\\\t\n',
      ip: '203.0.113.7',
      headers: { accept: 'text/html' },
      duration_us: 12,
      body: '',
    });
    expect(row['session']).toBe(event.session);
  });

  test('list_columns reads names, types and comments live from the database (contract 4.4)', async () => {
    const expected = EVENT_COLUMNS.map(({ name, type, comment }) => ({ name, type, comment }));
    expect(await analytics.listColumns()).toEqual(expected);
  });
});

describe('the statement is limited to the organisation (contract 4.3, 5)', () => {
  test('each organisation counts its own rows, in both tables', async () => {
    expect(await count('organisation != $$acme$$')).toBe(0);
    expect(await count('organisation = $$rival$$', RIVAL_KEY)).toBe(20);
    const { text } = await post('SELECT DISTINCT organisation FROM events', RIVAL_KEY);
    expect(text).toBe('rival\n');
  });

  test('an error never depends on the rows of another organisation', async () => {
    const sql = `SELECT throwIf(path LIKE '%${RIVAL_CANARY}%') FROM events_distributed FORMAT Null`;
    expect((await post(sql)).response.status).toBe(200);
    expect((await post(sql, RIVAL_KEY)).response.status).toBe(500);
  });

  test('no combination of statement parts returns a canary (seeded)', async () => {
    const random = seededRandom();
    let ran = 0;
    for (let round = 0; round < 150; round += 1) {
      const sql = mixedStatement(random);
      const { response, text } = await post(sql.replaceAll('FILE', secretFile));
      if (response.status === 200) ran += 1;
      expect(text, sql).not.toContain(RIVAL_CANARY);
      expect(text, sql).not.toContain(FILE_CANARY);
    }
    expect(ran).toBeGreaterThan(0);
  });
});

describe('answers (contract 4.3, 7.2, 8)', () => {
  test('rows are tab-separated without a header row unless FORMAT says otherwise', async () => {
    const plain = await post("SELECT 1 AS a, 'x\ty' AS b");
    expect(plain.response.headers.get('content-type')).toMatch(/^text\/tab-separated-values/);
    expect(plain.text).toBe('1\tx\\ty\n');
    const json = await post('SELECT 1 AS a FORMAT JSONEachRow');
    expect(json.response.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    expect(json.text).toBe('{"a":1}\n');
  });

  test('an answer has no CORS header, no compression and no header of the database', async () => {
    const { response } = await post('SELECT 1');
    const names = [...response.headers.keys()];
    expect(
      names.filter((name) => /^access-control|^x-clickhouse|content-encoding$/.test(name)),
    ).toEqual([]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('a database error is plain text: code, text, identifier; not version, not path', async () => {
    const { response, text } = await post('SELECT nonsense FROM events_distributed');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^Code: 47\. DB::Exception: .*\(UNKNOWN_IDENTIFIER\)\n$/);
    expect(text).not.toMatch(/version \d|guard-analytics/);
  });

  test('an error after many rows has an error status and no rows', async () => {
    const { response, text } = await post('SELECT throwIf(number = 900000) FROM numbers(950000)');
    expect(response.status).toBe(500);
    expect(text).toMatch(/^Code: 395\. /);
  });

  test('1,000,000 rows are returned; with one more the database reports an error', async () => {
    const largestAnswer = await post('SELECT 1 FROM numbers(1000000)');
    expect(largestAnswer.response.status).toBe(200);
    expect(largestAnswer.text).toHaveLength(2_000_000);
    const tooLargeAnswer = await post('SELECT 1 FROM numbers(1000001)');
    expect(tooLargeAnswer.response.status).toBeGreaterThanOrEqual(400);
    expect(tooLargeAnswer.text).toContain('TOO_MANY_ROWS_OR_BYTES');
  });

  test('4 MiB are returned; one byte more gives 502', async () => {
    const rows = "SELECT repeat('x', 524287) || if(number = 8, 'y', '') FROM numbers";
    const largestAnswer = await post(`${rows}(8) FORMAT TSVRaw`);
    expect(largestAnswer.response.status).toBe(200);
    expect(largestAnswer.text).toHaveLength(4 * 1024 * 1024);
    const tooLargeAnswer = await post(`${rows}(1, 8) FORMAT TSVRaw`);
    expect(tooLargeAnswer.response.status).toBe(502);
    expect(tooLargeAnswer.text).toContain('4 MiB');
  });
});

test('only their owner can read the account files, and they contain no password', () => {
  const users = readFileSync(join(folder, 'data/access/users.xml'), 'utf8');
  expect(users).not.toMatch(/<password>/);
  expect(users).toMatch(/<password_sha256_hex>[0-9a-f]{64}</);
});

test('a killed engine starts again, and no event is lost or stored twice', async () => {
  const before = recorders.counterValue('guard_analytics_restarts_total');
  let recordedRows = 0;
  for (let wave = 0; wave < 30; wave += 1) {
    for (let index = 0; index < 300; index += 1) {
      analytics.sink.record(sampleEvent({ site: 'killed' }));
      recordedRows += 1;
    }
    if (wave === 10 || wave === 20) {
      const pid = enginePid();
      process.kill(pid, 'SIGKILL');
      await until('a new engine is ready', () => analytics.ready() && enginePid() !== pid);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await until(
    'everything is acknowledged',
    () => recorders.gaugeValue('guard_events_queued') === 0,
  );
  const { text } = await post(
    "SELECT count(), uniqExact(request_id) FROM events_distributed WHERE site = 'killed'",
  );
  expect(text).toBe(`${recordedRows}\t${recordedRows}\n`);
  expect(recorders.counterValue('guard_analytics_restarts_total')).toBeGreaterThanOrEqual(
    before + 2,
  );
  expect(recorders.counterValue('guard_events_total', 'dropped')).toBe(0);
});

test('rows survive a restart, and applying the schema again changes nothing', async () => {
  analytics.sink.record(sampleEvent({ site: 'last words' }));
  const before = await count("site != 'last words'");
  await analytics.close();
  analytics = await open();
  const outcome = await analytics.runQuery({
    organisation: 'acme',
    sql: "SELECT countIf(site != 'last words'), countIf(site = 'last words') FROM events",
  });
  expect(textOf(outcome)).toBe(`${before}\t1\n`);
});
