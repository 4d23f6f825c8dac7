import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { openWithoutKeys, textOf } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import { startEngine } from '../testing/start-engine.ts';
import { until } from '../testing/until.ts';
import type { Analytics } from '../index.ts';
import { CLUSTER, usersXml } from './access-config.ts';
import { ACCOUNT_SETTINGS, organisationAccount, rowFilter } from './accounts.ts';
import type { EngineProcess } from './engine-process.ts';
import type { Account, DatabaseClient } from './database-client.ts';
import { prepareSchema } from './prepare.ts';
import { accountStatements } from './clickhouse.ts';
import { quoteText, schemaStatements } from './schema.ts';

const CANARY = 'canary-of-the-rival-2290';
const folder = testFolder();
const writer: Account = { user: 'writer', password: randomUUID() };
const secretFile = join(folder, 'secret.txt');

let engine: EngineProcess;
let client: DatabaseClient;
let url = '';
let analytics: Analytics;

/** Runs a statement with an account, without the gate. */
async function ask(account: Account, sql: string): Promise<{ code: number; text: string }> {
  const answer = await client.send({
    account,
    parameters: {},
    body: [Buffer.from(sql)],
    timeoutMs: 20_000,
    maxAnswerBytes: 1024 * 1024,
  });
  if (answer.kind !== 'answered') throw new Error(JSON.stringify(answer));
  return { code: answer.exceptionCode, text: answer.body.toString() };
}

/** A server that existed before Guard, with its own accounts and its own password for the writer. */
beforeAll(async () => {
  writeFileSync(secretFile, 'canary-of-the-file');
  const users = usersXml(writer, ['acme', 'rival', 'unwalled'], ACCOUNT_SETTINGS, 2);
  writeFileSync(join(folder, 'users.xml'), users.replace(rowFilter('unwalled'), '1'));
  ({ engine, client, url } = await startEngine(folder, writer, 1024 ** 3));
  expect(await prepareSchema({ client, writer }, CLUSTER, 'one_server')).toBeUndefined();
  const settings = { engine: 'clickhouse', url, ...writer } as const;
  analytics = await openWithoutKeys(settings, ['acme', 'rival']);
});

afterAll(async () => {
  await analytics.close();
  client.close();
  await engine.kill();
});

describe('the database account is the tenant boundary (contract 5)', () => {
  test('a remote server is used over the same interface, with one account per organisation', async () => {
    await until('the server is ready', () => analytics.ready());
    analytics.sink.record(sampleEvent());
    analytics.sink.record(sampleEvent({ organisation: 'rival', path: `/${CANARY}` }));
    const sql = 'SELECT count(), any(path) FROM events_distributed';
    const acme = await until('the event is there', async () => {
      const outcome = await analytics.runQuery({ organisation: 'acme', sql });
      const text = textOf(outcome);
      return text.startsWith('1') ? text : undefined;
    });
    expect(acme).toBe('1\t/login\n');
    const stranger = await analytics.runQuery({ organisation: 'stranger', sql: 'SELECT 1' });
    expect(stranger.kind).toBe('unavailable');
  });

  test('a server on which an account reads other organisations is not used', async () => {
    const recorders = createRecorders();
    const settings = { engine: 'clickhouse', url, ...writer } as const;
    const careless = await openWithoutKeys(settings, ['unwalled'], recorders);
    await until('the log reports the account', () =>
      recorders.lines.some((line) => line.includes('guard_unwalled: HTTP 500: Code: 395')),
    );
    expect(careless.ready()).toBe(false);
    await careless.close();
  });

  test('the account has the limits of contract 8, and no query can change them', async () => {
    const account = organisationAccount('acme', writer.password);
    for (const [name, value] of Object.entries(ACCOUNT_SETTINGS)) {
      const { text } = await ask(account, `SELECT getSetting('${name}')`);
      expect({ [name]: text.trim().replace('true', '1').replace('false', '0') }).toEqual({
        [name]: String(value),
      });
    }
    const changedAnswer = await ask(account, 'SELECT 1 SETTINGS max_execution_time = 0');
    expect(changedAnswer.code).toBe(164);
  });

  test('a statement has two threads even on a server with 1 GiB', async () => {
    const account = organisationAccount('acme', writer.password);
    const { text } = await ask(account, 'EXPLAIN PIPELINE SELECT sum(number) FROM numbers_mt(1e7)');
    expect(text).toMatch(/NumbersRange\S* × 2 /);
  });

  test('on one processor a statement has one thread, and its tables are not cut into parts', () => {
    const profile = usersXml(writer, ['acme'], ACCOUNT_SETTINGS, 1).split('<organisation>')[1];
    expect(profile).toContain('<max_threads>1</max_threads>');
    expect(profile).toContain('<group_by_two_level_threshold>1000000<');
  });

  test('a wrong password and an organisation without an account are refused', async () => {
    expect((await ask({ user: 'guard_acme', password: '' }, 'SELECT 1')).code).toBe(516);
    expect((await ask(organisationAccount('unknown', writer.password), 'SELECT 1')).code).toBe(516);
  });

  test.each([
    'SELECT 1',
    "SELECT file('FILE')",
    'SYSTEM STOP LISTEN HTTP',
    // ClickHouse runs KILL QUERY even above the limit of running queries.
    "KILL QUERY WHERE (SELECT throwIf(1, file('FILE'))) = 0",
  ])(
    "the engine's initial account without a password runs nothing when the path is unknown: %s",
    async (sql) => {
      const statement = sql.replaceAll('FILE', secretFile);
      for (const path of ['/', '/ping', new URL(url).pathname.slice(0, -1)]) {
        for (const account of [{ user: 'default', password: '' }, writer]) {
          const pathUrl = new URL(path, url);
          pathUrl.searchParams.set('user', account.user);
          pathUrl.searchParams.set('password', account.password);
          const answer = await fetch(pathUrl, { method: 'POST', body: statement });
          expect([path, account.user, answer.status]).toEqual([path, account.user, 404]);
          expect(await answer.text()).not.toContain('canary');
        }
      }
    },
  );
});

test('the listener answers only a ping and queries on its own path; the pages of ClickHouse give 404', async () => {
  const status = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(new URL(path, url), { method })).status;
  expect([await status(`${url}/ping`), await status('?query=SELECT+1', 'POST')]).toEqual([
    200, 200,
  ]);
  const pages = ['', 'play', 'play/', 'dashboard', 'binary', 'merges', 'jemalloc', 'webterminal'];
  const furtherPaths = [
    'js/uplot.js',
    'replicas_status',
    'metrics',
    '?query=SELECT+1',
    'ping',
    'ping/',
  ];
  for (const path of [...pages, ...furtherPaths]) {
    expect([path, await status(`/${path}`)]).toEqual([path, 404]);
  }
  expect(await status('/play', 'POST')).toBe(404);
});

describe('statements for a server or cluster', () => {
  const bodyColumn = { name: 'body', type: 'String', comment: '', codec: '', have: 1, servers: 2 };
  const expectedColumns = ['events', 'events_distributed'].map((table) => ({
    table,
    ...bodyColumn,
  }));
  const statements = [
    ...schemaStatements('a `cluster`', 'cluster', expectedColumns, ''),
    ...schemaStatements('a `cluster`', 'replicated_cluster', expectedColumns, ''),
    ...schemaStatements('default', 'one_server', expectedColumns, ''),
    ...accountStatements('acme-1_x', 'secret', 'a `cluster`'),
    ...accountStatements('acme-1_x', 'secret', undefined),
  ];

  test.each(statements)("the database's own parser accepts %s", async (sql) => {
    const formatted = await ask(writer, `SELECT formatQuery(${quoteText(sql)})`);
    expect(formatted).toMatchObject({ code: 0 });
  });

  test('the statements contain no password', () => {
    const { password } = organisationAccount('acme-1_x', 'secret');
    expect(statements.join('\n')).not.toContain(password);
  });
});

test.runIf(process.platform === 'linux')(
  'an engine without queries uses hardly any processor time',
  async () => {
    /** Processor time of the engine since its start, user and system, in hundredths of a second. */
    const usedMs = (): number => {
      const fields = readFileSync(`/proc/${engine.pid ?? 0}/stat`, 'utf8').split(' ');
      return Number(fields[13]) + Number(fields[14]);
    };
    await until('the engine uses less than a tenth of a second', async () => {
      const before = usedMs();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return usedMs() - before < 10;
    });
  },
);

test('the engine ends when its parent process is killed', async () => {
  const script = new URL('../testing/hold-engine.ts', import.meta.url).pathname;
  const engineParent = spawn(process.execPath, [script, join(folder, 'held')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  engineParent.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const pid = await until('the engine runs', () => {
    const pidText = /"event":"analytics_ready","pid":(\d+)/.exec(output)?.[1];
    return pidText === undefined ? undefined : Number(pidText);
  });
  expect(isRunning(pid)).toBe(true);
  engineParent.kill('SIGKILL');
  await until('the engine has ended', () => !isRunning(pid));
});

/** A process that has ended stays in the list as a zombie until its parent has waited for it. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return process.platform !== 'linux' && signalReaches(pid);
  }
}

function signalReaches(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
