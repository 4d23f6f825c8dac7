import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unpackText } from '../database/compressed-text.ts';
import { EVENT_COLUMNS } from '../events/columns/event-columns.ts';
import {
  basic,
  type ClickHouseListener,
  openClickHouseListener,
  type Answer,
} from '../testing/clickhouse-listener.ts';
import { readCorpus } from '../testing/corpus.ts';
import { OPENINGS } from '../testing/opening-requests.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import { until } from '../testing/until.ts';
import { FILE_CANARY, openWalledEngine, type WalledEngine } from '../testing/walled-engine.ts';

const RIVAL = 'canary-of-the-rival-2290';

type Headers = Readonly<Record<string, string>>;

let engine: WalledEngine;
let listener: ClickHouseListener;

/** Sends one statement in the body. `search` is the query string. */
function ask(sql: string, search = '', headers: Headers = {}): Promise<Answer> {
  return listener.ask(sql, search, { authorization: basic('default', 'acme'), ...headers });
}

beforeAll(async () => {
  engine = await openWalledEngine();
  for (const organisation of ['acme', 'acme', 'rival']) {
    const path = organisation === 'rival' ? `/${RIVAL}` : '/shelf';
    engine.analytics.sink.record(sampleEvent({ organisation, path }));
  }
  for (const organisation of ['acme', 'rival']) {
    await until('the rows of the event are there', async () => {
      const { text } = await engine.query(organisation, 'SELECT count() > 0 FROM events');
      return text === '1\n';
    });
  }
  listener = await openClickHouseListener(engine.analytics);
});
afterAll(async () => {
  await listener.close();
  await engine.close();
});

describe('programs use the events like a ClickHouse database', () => {
  test('@clickhouse/client: ping, rows, types, a stream, parameters, and an error with its code', async () => {
    const client = createClient({
      url: listener.url,
      username: 'default',
      password: 'acme',
      log: { level: 127 },
    });
    const rows = async (query: string, query_params = {}) =>
      (await client.query({ query, query_params, format: 'JSONEachRow' })).json();
    expect(await client.ping()).toEqual({ success: true });
    expect(await client.ping({ select: true })).toEqual({ success: true });
    expect(await rows('SELECT path FROM events_distributed')).toEqual([
      { path: '/shelf' },
      { path: '/shelf' },
    ]);
    const streamResult = await client.query({
      query: 'SELECT number FROM numbers(20000)',
      format: 'JSONCompactEachRow',
    });
    let count = 0;
    for await (const part of streamResult.stream()) count += part.length;
    expect(count).toBe(20_000);
    const values = {
      text: "it's \\ \n\t{b:UInt8} 'x",
      count: 7,
      list: ["x'y", 'z\\'],
      at: new Date(1_700_000_000_123),
      nothing: null,
      yes: true,
    };
    const query =
      'SELECT {text:String} AS text, {count:UInt8} AS count, {list:Array(String)} AS list, {at:DateTime64(3)} AS at, {nothing:Nullable(String)} AS nothing, {yes:Bool} AS yes LIMIT {count:UInt8}';
    expect(await rows(query, values)).toEqual([{ ...values, at: '2023-11-14 22:13:20.123' }]);
    await expect(rows('SELECT nowhere FROM events_distributed')).rejects.toMatchObject({
      code: '47',
      type: 'UNKNOWN_IDENTIFIER',
    });
    await expect(client.insert({ table: 'events', values: [{}] })).rejects.toMatchObject({
      code: '497',
      type: 'ACCESS_DENIED',
    });
    await client.close();
  });

  test.each(OPENINGS)(
    'the first requests of $program get an answer',
    async ({ search = '', headers = {}, statements }) => {
      for (const sql of statements) {
        const { status, text } = await ask(sql, search, headers);
        expect(status === 200 ? 'answered' : text, sql).toBe('answered');
      }
    },
  );

  test('constants have the names and types of ClickHouse, and the version is the true one', async () => {
    const sql =
      'SELECT version(), VERSION(), revision(), displayName(), currentUser() AS who FORMAT JSONCompact';
    const { meta, data } = JSON.parse((await ask(sql)).text) as Record<string, unknown[]>;
    expect(meta).toMatchObject([
      { name: 'version()', type: 'String' },
      { name: 'VERSION()', type: 'String' },
      { name: 'revision()', type: 'UInt32' },
      { name: 'displayName()' },
      { name: 'who', type: 'String' },
    ]);
    const [version = '', revision] = (await engine.asOwner('SELECT version(), revision()'))
      .trim()
      .split('\t');
    expect(data).toEqual([[version, version, Number(revision), 'Guard', 'acme']]);
  });

  test('system tables contain the one table and its columns, also in a JOIN and after WITH', async () => {
    const columns = EVENT_COLUMNS.map(({ name, type }) => `${name}\t${type}\n`).join('');
    const sql = 'SELECT name, type FROM system.columns ORDER BY position FORMAT TSVRaw';
    expect((await ask(sql)).text).toBe(columns);
    expect((await ask('SELECT * FROM `system`."tables" FORMAT JSONEachRow')).text).toContain(
      '"name":"events_distributed"',
    );
    const joinedRows =
      "WITH 'default' AS here SELECT count() FROM system.tables WHERE database = here AND name IN (SELECT table FROM system.columns)";
    expect((await ask(joinedRows)).text).toBe('1\n');
    expect((await ask('DESC events_distributed FORMAT TSV')).text.split('\n')).toHaveLength(
      EVENT_COLUMNS.length + 1,
    );
  });

  test('the format comes from the statement, a header or the query string', async () => {
    const sql = 'SELECT 1 AS check';
    expect((await ask(sql)).format).toBe('TabSeparated');
    expect((await ask(sql, 'default_format=CSVWithNames')).text).toBe('"check"\n1\n');
    const header = { 'x-clickhouse-format': 'JSONCompactEachRow' };
    expect((await ask(sql, '', header)).format).toBe('JSONCompactEachRow');
    expect((await ask(`${sql} FORMAT CSV`, 'default_format=Native')).text).toBe('1\n');
    const native = await ask(`${sql}\n FORMAT Native`, 'client_protocol_version=54405');
    expect(native.body.subarray(8, 16).toString('latin1')).toBe('\x01\x01\x05check');
    const get = await fetch(
      `${listener.url}/?query=${encodeURIComponent(sql)}&default_format=TSV`,
      { headers: { authorization: basic('acme', '') } },
    );
    expect(await get.text()).toBe('1\n');
  });

  test('with compress=1, rows come in LZ4 frames and errors come as plain text', async () => {
    const sql = "SELECT number, repeat('ab', 50) FROM numbers(3000)";
    const [plain, packed] = [await ask(sql), await ask(sql, 'compress=1')];
    expect(packed.body.length).toBeLessThan(plain.body.length / 4);
    expect(unpackText(packed.body, 1024 * 1024).equals(plain.body)).toBe(true);
    const lateError = "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaa' FROM numbers(1000001)";
    for (const failingSql of ['SELECT nowhere', 'SELECT throwIf(1)', lateError, 'DROP']) {
      const { status, code, text } = await ask(failingSql, 'compress=1');
      expect(status).toBe(403);
      expect(text).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: .+ \\([A-Z_]+\\)\n$`, 's'));
      expect(text).not.toContain('version');
    }
    // After a minus sign the engine reports a number (error 72), so this text begins with a letter.
    const longAnswer = await ask(
      `SELECT CAST('x' || randomPrintableASCII(9e5) AS UInt8)`,
      'compress=1',
    );
    expect([longAnswer.status, longAnswer.code]).toEqual([403, '6']);
    expect(longAnswer.text).toMatch(/^Code: 6\. .{16000}/s);
  });

  test.each([
    ['Basic authentication, with the key as password', { authorization: basic('whoever', 'acme') }],
    ['Basic authentication, with the key as user', { authorization: basic('acme', '') }],
    ['X-ClickHouse-Key', { authorization: '', 'x-clickhouse-key': 'acme' }],
    ['Bearer', { authorization: 'Bearer acme' }],
  ])('this form of a key is accepted: %s', async (_form, headers) => {
    expect((await ask('SELECT 1', '', headers)).text).toBe('1\n');
  });
});

test('a body that is too large gets a ClickHouse error with status 403, which programs do not unpack', async () => {
  const answers = [await ask(' '.repeat(65_537)), await ask(' '.repeat(65_537), 'compress=1')];
  expect(answers).toMatchObject([400, 403].map((status) => ({ status, code: '62' })));
  for (const { text } of answers) expect(text).toMatch(/^Code: 62\. .*65536.* \(SYNTAX_ERROR\)\n$/);
});

describe('it does not bypass the walls (contract 4.3, 5)', () => {
  test.each([
    ['a wrong key', { authorization: basic('default', 'nobody') }, ''],
    ['no key', { authorization: '' }, ''],
    ['the account of the engine', { authorization: basic('default', '') }, ''],
    ['the account of an organisation', { authorization: basic('guard_acme', '') }, ''],
    ['a user in the query string', { authorization: '' }, 'user=default&password='],
    ['a key in the query string', { authorization: '' }, 'user=default&password=acme'],
    ['no Base64', { authorization: 'Basic ***' }, ''],
  ])('%s gets 401 and no row', async (_what, headers, search) => {
    const { status, code, text } = await ask('SELECT 1', search, headers);
    expect({ status, code }).toEqual({ status: 401, code: '516' });
    expect(text).toMatch(/^Code: 516\. .*analytics key/);
  });

  test('each key sees its own organisation, and system tables are the same for all', async () => {
    const rivalHeaders = { authorization: basic('acme', 'rival') };
    const sql = 'SELECT DISTINCT organisation, currentUser() FROM events_distributed';
    expect((await ask(sql)).text).toBe('acme\tacme\n');
    expect((await ask(sql, '', rivalHeaders)).text).toBe('rival\trival\n');
    for (const table of ['columns', 'tables', 'databases', 'settings', 'data_type_families']) {
      const statement = `SELECT * FROM system.${table} FORMAT JSONEachRow`;
      const { status, text } = await ask(statement);
      const { text: rivalText } = await ask(statement, '', rivalHeaders);
      expect([status, text]).toEqual([200, rivalText]);
      expect(text).not.toMatch(/rival|guard_|writer|\/tmp/);
    }
  });

  test.each(readCorpus('hostile/*.txt'))(
    'no statement gets a row of another organisation: $tries',
    async ({ statements }) => {
      for (const statement of statements) {
        const { text } = await ask(statement.replaceAll('FILE', engine.secretFile));
        expect(text, statement).not.toContain(RIVAL);
        expect(text, statement).not.toContain(FILE_CANARY);
      }
    },
  );

  test.each([
    'SELECT * FROM system.users',
    'SELECT * FROM system.query_log',
    'SELECT * FROM system.processes',
    'SELECT * FROM information_schema.tables',
    'SELECT * FROM SYSTEM.tables',
    'SELECT * FROM system . `grants`',
    'SELECT * FROM default.tables',
    'SELECT x IN system.one FROM system.tables',
    'SELECT getSetting(name) FROM system.settings',
    'SELECT version(1)',
    'DESCRIBE (SELECT 1)',
    'SHOW GRANTS',
    'SHOW CREATE TABLE events_distributed',
    'SHOW TABLES; SELECT 1',
    'EXISTS TABLE events; DROP TABLE events',
    'INSERT INTO events_distributed VALUES (1)',
    'SELECT 1 SETTINGS readonly = 0',
    'SET readonly = 0',
    "SELECT file('/etc/passwd') FROM system.tables",
    'SELECT _part_offset FROM system.tables, events',
  ])('the statement gets 403: %s', async (sql) => {
    const { status, code } = await ask(sql);
    expect({ status, code }).toEqual({ status: 403, code: '497' });
  });

  test('limits of a program are ignored, and those of Guard apply', async () => {
    const wideQuery =
      'readonly=0&max_result_rows=0&max_execution_time=0&max_memory_usage=0&result_overflow_mode=break';
    expect((await ask('SELECT 1', wideQuery)).text).toBe('1\n');
    const longAnswer = await ask('SELECT number FROM numbers(1000001) FORMAT Null', wideQuery);
    expect(longAnswer).toMatchObject({ status: 500, code: '396' });
    const largeAnswer = await ask("SELECT repeat('x', 100000) FROM numbers(100)", wideQuery);
    expect(largeAnswer).toMatchObject({ status: 500, code: '396' });
  });

  test.each([
    'join_use_nulls=1',
    'session_timezone=Asia/Tokyo',
    'additional_table_filters={}',
    'role=admin',
    'user=writer',
    'password=acme',
    'database=system',
    'default_format=Template',
    'format_schema=x',
    'output_format_json_quote_denormals=1',
    'extremes=1',
    'stacktrace=1',
    'decompress=1',
    'param_a=1&SQL_x=1',
  ])('a setting that could change rows gets 403: ?%s', async (search) => {
    const { status, code } = await ask('SELECT 1', search);
    expect({ status, code }).toEqual({ status: 403, code: '497' });
  });

  test('neither the value nor the type of a parameter can be read as SQL', async () => {
    const breakout = "') UNION ALL SELECT path FROM events --";
    const filledAnswer = await ask('SELECT {a:String}', `param_a=${encodeURIComponent(breakout)}`);
    expect(filledAnswer.text).toBe("\\') UNION ALL SELECT path FROM events --\n");
    for (const sql of [
      "SELECT {a:String'), file('/etc/passwd}",
      'SELECT {a:Nothing} FROM {b:Identifier}',
      'SELECT {a:Identifier}',
      'SELECT {a}',
      'SELECT {a:UInt8',
      'SELECT {missing:UInt8}',
      'SELECT {a:UInt8 SETTINGS readonly=0}',
    ]) {
      const { status, text } = await ask(sql, 'param_a=1&param_b=events');
      expect(status, sql).toBeGreaterThanOrEqual(400);
      expect(text, sql).toMatch(/^Code: \d+/);
    }
  });

  test.each([
    '/../query',
    '/%2e%2e/query',
    '/query',
    '/play',
    '/dashboard',
    '/replicas_status',
    '//',
  ])('GET %s gets 404', async (path) => {
    const status = await listener.statusOf(path, basic('default', 'acme'));
    expect(status).toBe(404);
  });

  test('a query ends with its key, in every form of the key', async () => {
    const headers = { authorization: basic('default', 'acme-leaked') };
    const endless = ask('SELECT sum(sipHash64(number)) FROM numbers(100000000000)', '', headers);
    const running = "SELECT count() FROM system.processes WHERE user = 'guard_acme'";
    await until('the query runs', async () => (await engine.asOwner(running)) === '1\n');
    engine.revoke('acme-leaked');
    expect((await endless).status).toBe(401);
  });
});
