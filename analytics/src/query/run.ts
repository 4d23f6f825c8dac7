import { randomUUID } from 'node:crypto';
import { QUERY } from '@guard/config/contract/limits';
import type { QueryOutcome, RunQuery } from '@guard/config/contract/ports';
import type { Database, EngineState } from '../engine/engine.ts';
import type { DatabaseAnswer } from '../engine/http-client.ts';
import { QUERIES_PER_ORGANISATION } from '../engine/limits.ts';
import { DATABASE } from '../engine/accounts.ts';
import { execute } from '../engine/prepare.ts';
import { publicMessage } from './database-error.ts';
import { judgeStatement } from './gate.ts';
import { Slots } from './slots.ts';

/** A little more than the database's own limit, whose error is the better answer. */
const TIMEOUT_MS = (QUERY.maxExecutionS + 5) * 1000;
const MAX_WAITING = 16;
/** AUTHENTICATION_FAILED: our own accounts are not in place, which is no fault of the statement. */
const AUTHENTICATION_FAILED = 516;

interface RunOptions {
  readonly state: () => EngineState;
  readonly organisations: readonly string[];
}

/**
 * Runs statements (spec 4.3, limits of spec 8): the gate first, then the organisation's own account.
 * An answer is held until it is whole, so that an error that comes late is still an error.
 */
export function createRunQuery({ state, organisations }: RunOptions): RunQuery {
  const slots = new Map(
    organisations.map((id) => [id, new Slots(QUERIES_PER_ORGANISATION, MAX_WAITING)]),
  );

  return async ({ organisation, sql, signal }) => {
    const verdict = judgeStatement(sql);
    if (verdict.kind === 'refused') return verdict;
    const slot = await slots.get(organisation)?.take(signal);
    switch (slot?.kind) {
      case undefined:
        return unavailable('This organisation is not set up for queries.');
      case 'full':
        return unavailable('Too many queries of this organisation are waiting. Try again later.');
      case 'aborted':
        return unavailable('The query was cancelled.');
      case 'taken':
        try {
          return await ask(state(), organisation, sql, signal);
        } finally {
          slot.release();
        }
    }
  };
}

async function ask(
  state: EngineState,
  organisation: string,
  sql: string,
  signal: AbortSignal | undefined,
): Promise<QueryOutcome> {
  if (state.kind !== 'ready') return unavailable(state.message);
  const { database } = state;
  const account = database.account(organisation);
  if (account === undefined) return unavailable('This organisation is not set up for queries.');
  const queryId = randomUUID();
  const answer = await database.client.send({
    account,
    parameters: {
      query_id: queryId,
      database: DATABASE,
      default_format: 'TabSeparated',
      // As much as may be answered at all: up to there, the status comes after the last row.
      buffer_size: String(QUERY.maxAnswerBytes + 1),
    },
    body: [Buffer.from(sql)],
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: QUERY.maxAnswerBytes,
    signal,
  });
  if (wasLeft(answer)) await stop(database, queryId);
  return outcomeOf(answer, database);
}

/** True when the connection was given up while the database may still be at work. */
function wasLeft({ kind }: DatabaseAnswer): boolean {
  return kind === 'aborted' || kind === 'timeout' || kind === 'too_large';
}

/**
 * Ends a query. The database sees a closed connection by itself, but not from within a join that
 * brings forth no rows: such a query would hold processors until its 30 s are over. A writer without
 * the right to do this leaves it at that.
 */
async function stop({ client, writer }: Database, queryId: string): Promise<void> {
  await execute(client, writer, `KILL QUERY WHERE query_id = '${queryId}' ASYNC`);
}

function outcomeOf(answer: DatabaseAnswer, database: Database): QueryOutcome {
  switch (answer.kind) {
    case 'answered': {
      const { status, body, contentType, exceptionCode } = answer;
      if (status === 200 && exceptionCode === 0) return { kind: 'rows', contentType, body };
      if (exceptionCode === AUTHENTICATION_FAILED) {
        return unavailable('The database does not know the account of this organisation.');
      }
      const message = publicMessage(body, database.secrets);
      return { kind: 'database_error', status: status === 200 ? 500 : status, message };
    }
    case 'too_large':
      return { kind: 'too_large' };
    case 'aborted':
      return unavailable('The query was cancelled.');
    case 'timeout':
      return unavailable('The analytics database did not answer in time.');
    case 'failed':
      return unavailable('The connection to the analytics database was lost.');
  }
}

function unavailable(message: string): QueryOutcome {
  return { kind: 'unavailable', message };
}
