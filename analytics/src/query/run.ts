import { randomUUID } from 'node:crypto';
import { QUERY } from '@guard/config/contract/limits';
import type { AnswerForm } from '@guard/config/contract/answer-form';
import type { AuthenticateBearer, QueryOutcome, RunQuery } from '@guard/config/contract/ports';
import { ask, type Database, type EngineState } from '../database/engine.ts';
import type { Account, DatabaseAnswer } from '../database/database-client.ts';
import { DATABASE, INDEX_SETTINGS, LOCAL_TABLE } from '../database/accounts.ts';
import { unpackText, lastFrame } from '../database/compressed-text.ts';
import { execute } from '../database/prepare.ts';
import { overLocalTable, withUtcTimes } from './adapt.ts';
import {
  BUSY,
  hasOtherType,
  isCorrelated,
  isCrowded,
  MAX_ERROR_BYTES,
  mayDependOnOtherRows,
  publicMessage,
  isSettingRefused,
  tooManyWaiting,
} from './database-error.ts';
import { judgeStatement } from './gate.ts';
import { KeyWatch } from './key-watch.ts';
import { FairSlot, RunningRequests, SlotTable } from './slots.ts';

/**
 * Time limit for all attempts. It is longer than the database's own limit, because the database's error says more than
 * Guard's error.
 */
const TIMEOUT_MS = (QUERY.maxExecutionS + 5) * 1000;
/** AUTHENTICATION_FAILED: the organisation's account is missing. The statement is not the cause. */
const AUTHENTICATION_FAILED = 516;
const WITHOUT_INDEXES = Object.fromEntries(INDEX_SETTINGS.map((name) => [name, '0']));
/**
 * Maximum number of attempts of a statement that found no memory. Before the second and the third attempt, Guard waits
 * until the statements have ended that used the memory.
 */
const MAX_TRIES = 3;
const CANCELLED_MESSAGE = 'The query was cancelled.';

interface RunOptions {
  readonly state: () => EngineState;
  /** Called again and again while a query waits and runs, so that the query ends when its key is revoked. */
  readonly authenticate: AuthenticateBearer;
}

/** A statement that passed the gate. The other fields are those of RunQuery. */
interface Statement {
  readonly sql: string;
  readonly answerForm: AnswerForm;
  /** If true, the database reads all parts, even if their bounds cannot match. */
  readonly readsAllParts?: boolean;
}

/**
 * Runs statements (contract 4.3, limits of contract 8). The gate checks a statement first, then the organisation's own
 * account runs it. An answer is sent when it is complete, so that a late error has an error status, and a large answer
 * gets 502. A key with too many queries waits for its own slots before it waits for those of its organisation. A query
 * keeps its slots until its rows are delivered, so the slots limit the answers in memory.
 */
export function createRunQuery({ state, authenticate }: RunOptions): RunQuery {
  const keySlots = new SlotTable(QUERY.runningOfKey, QUERY.maxWaiting);
  const organisationSlots = new SlotTable(QUERY.runningOfOrganisation, QUERY.maxWaiting);
  // At most this many queries wait here, because each of them has a slot of its organisation.
  const heavySlot = new FairSlot(QUERY.runningOfOrganisation);
  const running = new RunningRequests();
  const keyWatch = new KeyWatch(authenticate);

  async function withKey(
    authorization: string,
    organisation: string,
    signal: AbortSignal | undefined,
    delivery: Promise<unknown> | undefined,
    run: (signal: AbortSignal) => Promise<QueryOutcome>,
  ): Promise<QueryOutcome> {
    const holder = authenticate(authorization);
    if (holder?.organisation !== organisation) return { kind: 'revoked' };
    const { revoked, stopWatching } = keyWatch.watch(authorization, organisation);
    const cancelSignal = signal === undefined ? revoked : AbortSignal.any([signal, revoked]);
    try {
      const name = `${organisation}/${holder.key}`;
      const outcome = await runInSlot(keySlots, name, 'this key', cancelSignal, delivery, () =>
        run(cancelSignal),
      );
      return revoked.aborted ? { kind: 'revoked' } : outcome;
    } finally {
      stopWatching();
    }
  }

  return async ({ organisation, sql, authorization, answerForm = {}, delivered, signal }) => {
    const verdict = judgeStatement(sql);
    if (verdict.kind === 'refused') return verdict;
    const runUntil = (cancelSignal: AbortSignal | undefined): Promise<QueryOutcome> =>
      runInSlot(organisationSlots, organisation, 'this organisation', cancelSignal, delivered, () =>
        runAsOrganisation(
          { state, heavySlot, running },
          organisation,
          { sql, answerForm },
          cancelSignal,
        ),
      );
    return authorization === undefined
      ? runUntil(signal)
      : withKey(authorization, organisation, signal, delivered, runUntil);
  };
}

/** Runs `run` in a slot of `name`, and keeps the slot until the rows are delivered. */
async function runInSlot(
  table: SlotTable,
  name: string,
  owner: string,
  signal: AbortSignal | undefined,
  delivery: Promise<unknown> | undefined,
  run: () => Promise<QueryOutcome>,
): Promise<QueryOutcome> {
  const slot = await table.take(name, signal);
  switch (slot.kind) {
    case 'full':
      return { kind: 'database_error', status: BUSY, message: tooManyWaiting(owner) };
    case 'aborted':
      return unavailable(CANCELLED_MESSAGE);
    case 'taken': {
      const outcome = await run().catch((error: unknown) => {
        slot.release();
        throw error;
      });
      if (outcome.kind === 'rows' && delivery !== undefined) void delivery.then(slot.release);
      else slot.release();
      return outcome;
    }
  }
}

async function runAsOrganisation(
  { state, ...turns }: Turns & { readonly state: () => EngineState },
  organisation: string,
  statement: Statement,
  signal: AbortSignal | undefined,
): Promise<QueryOutcome> {
  const time = { leftMs: TIMEOUT_MS };
  const askOutcome = await ask(state, signal, async (database) => {
    const account = database.account(organisation);
    if (account === undefined) return undefined;
    return sendAdapted({ database, organisation, account, ...turns, time, signal }, statement);
  });
  switch (askOutcome.kind) {
    case 'away':
      return unavailable(askOutcome.message);
    case 'cancelled':
      return unavailable(CANCELLED_MESSAGE);
    case 'asked':
      return askOutcome.answer === undefined
        ? unavailable('This organisation is not set up for queries.')
        : outcomeOf(askOutcome.answer, askOutcome.database);
  }
}

/** What all statements share, so that those without memory wait for each other and for the others. */
interface Turns {
  readonly heavySlot: FairSlot;
  readonly running: RunningRequests;
}

/** The caller, account and time limit of one statement. */
interface StatementContext extends Turns {
  readonly database: Database;
  readonly organisation: string;
  readonly account: Account;
  /** The time that remains for all attempts. The time of waiting for other statements is not subtracted. */
  readonly time: { leftMs: number };
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs the statement. When the database refuses its dialect, the statement is adapted and runs again. An error in the
 * answer can come only from rows of the organisation itself.
 */
async function sendAdapted(
  context: StatementContext,
  statement: Statement,
): Promise<DatabaseAnswer> {
  const answer = await sendAdmitted(context, statement);
  const sql = adaptStatement(context.database, answer, statement.sql);
  // The recursion ends, because `adaptStatement` does not change an adapted statement again.
  if (sql !== undefined && sql !== statement.sql && judgeStatement(sql).kind === 'passed') {
    return sendAdapted(context, { ...statement, sql });
  }
  if (!mayDependOnOtherRows(answer)) return answer;
  const ownAnswer = await sendOnce(context, { ...statement, readsAllParts: true });
  return isSettingRefused(ownAnswer) ? answer : ownAnswer;
}

/**
 * Most statements need little memory, so each is sent at once. A statement that finds no memory waits for its turn among
 * such statements, and then until the statements have ended that run at that time. The organisations take turns.
 */
async function sendAdmitted(
  context: StatementContext,
  statement: Statement,
): Promise<DatabaseAnswer> {
  let answer = await sendOnce(context, statement);
  if (!isCrowded(answer)) return answer;
  const slot = await context.heavySlot.take(context.organisation, context.signal);
  if (slot.kind !== 'taken') return answer;
  try {
    for (let tries = 1; isCrowded(answer) && tries < MAX_TRIES; tries += 1) {
      await context.running.untilEnded(context.signal);
      answer = await sendOnce(context, statement);
    }
    return answer;
  } finally {
    slot.release();
  }
}

function adaptStatement(
  { insertInto }: Database,
  answer: DatabaseAnswer,
  sql: string,
): string | undefined {
  if (hasOtherType(answer)) return withUtcTimes(sql);
  return isCorrelated(answer) && insertInto === LOCAL_TABLE ? overLocalTable(sql) : undefined;
}

async function sendOnce(
  { database, account, running, time, signal }: StatementContext,
  { sql, answerForm, readsAllParts = false }: Statement,
): Promise<DatabaseAnswer> {
  const queryId = randomUUID();
  const sentAt = performance.now();
  const request = database.client.send({
    account,
    parameters: {
      ...(readsAllParts && WITHOUT_INDEXES),
      query_id: queryId,
      database: DATABASE,
      default_format: 'TabSeparated',
      ...answerForm,
      // The buffer can hold the largest answer. So the database sends the status after the last row.
      buffer_size: String(QUERY.maxAnswerBytes + 1),
    },
    body: [Buffer.from(sql)],
    timeoutMs: Math.max(1, Math.round(time.leftMs)),
    maxAnswerBytes: QUERY.maxAnswerBytes,
    signal,
  });
  const answer = await running.follow(request);
  time.leftMs -= performance.now() - sentAt;
  if (mayStillRun(answer)) await killQuery(database, queryId);
  return answer.kind === 'answered' && answer.exceptionCode !== 0 && answerForm.compress === '1'
    ? { ...answer, body: unpackText(lastFrame(answer.body), MAX_ERROR_BYTES) }
    : answer;
}

/** True when the connection was closed and the database may still run the query. */
function mayStillRun({ kind }: DatabaseAnswer): boolean {
  return kind === 'aborted' || kind === 'timeout' || kind === 'too_large';
}

/**
 * Ends a query. The database itself notices a closed connection, except in a join that finds no rows. Such a join would
 * use processors until its limit of 30 s. When the account lacks the right to end queries, this function has no effect.
 */
async function killQuery({ client, writer }: Database, queryId: string): Promise<void> {
  await execute(client, writer, `KILL QUERY WHERE query_id = '${queryId}' ASYNC`);
}

function outcomeOf(answer: DatabaseAnswer, database: Database): QueryOutcome {
  switch (answer.kind) {
    case 'answered': {
      const { status, body, contentType, format, exceptionCode } = answer;
      if (status === 200 && exceptionCode === 0) return { kind: 'rows', contentType, body, format };
      if (exceptionCode === AUTHENTICATION_FAILED) {
        return unavailable('The database does not know the account of this organisation.');
      }
      const message = publicMessage(body, database.secrets);
      if (isCrowded(answer)) return { kind: 'database_error', status: BUSY, message };
      return { kind: 'database_error', status: status === 200 ? 500 : status, message };
    }
    case 'too_large':
      return { kind: 'too_large' };
    case 'aborted':
      return unavailable(CANCELLED_MESSAGE);
    case 'timeout':
      return unavailable('The analytics database did not answer in time.');
    case 'failed':
      return unavailable('The connection to the analytics database was lost.');
  }
}

function unavailable(message: string): QueryOutcome {
  return { kind: 'unavailable', message };
}
