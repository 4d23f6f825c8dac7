import { setImmediate as immediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DatabaseAnswer, DatabaseClient } from '../database/database-client.ts';
import { scriptedAnswer, scriptedDatabase } from '../testing/scripted-database.ts';
import { createRunQuery } from './run.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

const CROWDED_ANSWER = scriptedAnswer('Code: 241. (total) memory limit exceeded', 241);
const OTHER_TYPE = scriptedAnswer('Code: 53. Type mismatch', 53);
const STATEMENT = "SELECT 1 FROM events_distributed WHERE created_at > '2026-11-20T08:00:00Z'";

/** Runs a statement on a database that gives these answers, each after ten seconds. */
async function run(sql: string, answers: readonly DatabaseAnswer[]) {
  const sentStatements: Parameters<DatabaseClient['send']>[0][] = [];
  const state = scriptedDatabase((request) => {
    sentStatements.push(request);
    vi.advanceTimersByTime(10_000);
    return Promise.resolve(answers[sentStatements.length - 1] ?? scriptedAnswer('1\n'));
  });
  const outcome = await createRunQuery({ state, authenticate: () => undefined })({
    organisation: 'acme',
    sql,
  });
  return { outcome, statements: sentStatements.map(({ body }) => String(body[0])), sentStatements };
}

test('contract 8: all attempts of a statement share one time limit', async () => {
  const { sentStatements } = await run('SELECT 1', [
    CROWDED_ANSWER,
    scriptedAnswer('Code: 153.', 153),
  ]);
  expect(sentStatements.map(({ timeoutMs }) => timeoutMs)).toEqual([35_000, 25_000, 15_000]);
});

test('a statement that was adapted and finds no memory gets three attempts, a fourth one without indexes, and then 503', async () => {
  const crowdedAnswers = [CROWDED_ANSWER, CROWDED_ANSWER, CROWDED_ANSWER, CROWDED_ANSWER];
  const { outcome, statements, sentStatements } = await run(STATEMENT, [
    OTHER_TYPE,
    ...crowdedAnswers,
  ]);
  const statementInUtc = expect.stringContaining(
    "toDateTime64('2026-11-20T08:00:00Z', 3, 'UTC')",
  ) as string;
  expect(statements).toEqual([
    STATEMENT,
    statementInUtc,
    statementInUtc,
    statementInUtc,
    statementInUtc,
  ]);
  expect(sentStatements.map(({ parameters }) => parameters['use_skip_indexes'])).toEqual([
    ...[undefined, undefined, undefined, undefined, '0'],
  ]);
  expect(outcome).toMatchObject({ kind: 'database_error', status: 503 });
});

test('a statement that finds no memory is sent again only after the end of the statements that run', async () => {
  const sent: string[] = [];
  const { promise: longAnswer, resolve: endLong } = Promise.withResolvers<DatabaseAnswer>();
  const state = scriptedDatabase(({ body }) => {
    const sql = String(body[0]);
    sent.push(sql);
    if (sql === 'SELECT 1') return longAnswer;
    return Promise.resolve(sent.length === 2 ? CROWDED_ANSWER : scriptedAnswer('2\n'));
  });
  const runQuery = createRunQuery({ state, authenticate: () => undefined });
  const long = runQuery({ organisation: 'acme', sql: 'SELECT 1' });
  const heavy = runQuery({ organisation: 'other', sql: 'SELECT 2' });
  for (let turn = 0; turn < 5; turn += 1) await immediate();
  expect(sent).toEqual(['SELECT 1', 'SELECT 2']);
  endLong(scriptedAnswer('1\n'));
  expect(await heavy).toMatchObject({ kind: 'rows' });
  expect(await long).toMatchObject({ kind: 'rows' });
  expect(sent).toEqual(['SELECT 1', 'SELECT 2', 'SELECT 2']);
});

test('a statement that waits for the end of others stops waiting when its caller leaves', async () => {
  const state = scriptedDatabase(({ body }) =>
    String(body[0]) === 'SELECT 1' ? new Promise(() => undefined) : Promise.resolve(CROWDED_ANSWER),
  );
  const runQuery = createRunQuery({ state, authenticate: () => undefined });
  void runQuery({ organisation: 'acme', sql: 'SELECT 1' });
  const caller = new AbortController();
  const { signal } = caller;
  const heavy = runQuery({ organisation: 'other', sql: 'SELECT 2', signal });
  for (let turn = 0; turn < 5; turn += 1) await immediate();
  caller.abort();
  expect(await heavy).not.toMatchObject({ kind: 'rows' });
});

test('organisations take turns with heavy statements', async () => {
  const seen = new Set<string>();
  const turnOrder: string[] = [];
  const state = scriptedDatabase(async ({ body }) => {
    const sql = String(body[0]);
    if (!seen.has(sql)) {
      seen.add(sql);
      return CROWDED_ANSWER;
    }
    turnOrder.push(sql);
    await immediate();
    return scriptedAnswer('1\n');
  });
  const runQuery = createRunQuery({ state, authenticate: () => undefined });
  const ask = (organisation: string, numbers: readonly number[]) =>
    numbers.map((number) => runQuery({ organisation, sql: `SELECT ${number}` }));
  const outcomes = await Promise.all([
    ...ask('many', [1, 2, 3, 4, 5, 6]),
    ...ask('other', [11, 12]),
    ...ask('third', [21]),
  ]);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'rows' });
  expect(turnOrder.map((sql) => Number(sql.slice(7)))).toEqual([1, 11, 21, 2, 12, 3, 4, 5, 6]);
});
