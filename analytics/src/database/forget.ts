import { randomBytes } from 'node:crypto';
import type { ForgetAnswer, Person } from '@guard/config/settings/derived/forget-request';
import { DATABASE, LOCAL_TABLE, rowFilter, TABLE } from './accounts.ts';
import { ask, type Database, type EngineState } from './engine.ts';
import type { DatabaseAnswer } from './database-client.ts';
import { failureOf } from './prepare.ts';
import { quoteName, quoteText } from './schema.ts';

/** Half an hour, because a deletion rewrites each part that has a row of the person. */
const DELETE_TIMEOUT_MS = 1_800_000;
const COUNT_TIMEOUT_MS = 120_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const TIMEOUT_EXCEEDED = 159;
/** The maximum number of rounds of one request. Rows that arrive during a deletion are deleted in the next round. */
const MAX_ROUNDS = 3;

/** The result without the entry in the log. */
type ForgetResult =
  | Exclude<ForgetAnswer, { readonly kind: 'deleted' }>
  | Omit<Extract<ForgetAnswer, { readonly kind: 'deleted' }>, 'audit'>;

/** Counts or deletes the rows of one person in one organisation. Only one request runs at a time. Never rejects. */
export type Forget = (
  act: 'count' | 'delete',
  organisation: string,
  person: Person,
) => Promise<ForgetResult>;

type OrReason<Value> = Value | { readonly why: string };

/**
 * `settle` waits, for a limited time, until earlier events are in the database, and resolves with the number of events
 * that still wait.
 */
export function createForget(state: () => EngineState, settle: () => Promise<number>): Forget {
  let isBusy = false;

  async function runForget(
    act: 'count' | 'delete',
    organisation: string,
    person: Person,
  ): Promise<ForgetResult> {
    const condition = await conditionOf(state, organisation, person);
    if (typeof condition !== 'string') return refuse(condition.why);
    let waitingEvents = await settle();
    let rows = 0;
    for (let round = 0; ; round += 1) {
      const foundRows = await count(state, condition);
      if (typeof foundRows !== 'number') return refuse(foundRows.why);
      if (act === 'count') return { kind: 'counted', rows: foundRows, waiting: waitingEvents };
      if (foundRows === 0 || round === MAX_ROUNDS) {
        return { kind: 'deleted', rows, left: foundRows, waiting: waitingEvents };
      }
      const deletion = await deleteRows(state, condition);
      if (typeof deletion !== 'string') return refuse(deletion.why);
      rows += foundRows;
      waitingEvents = await settle();
    }
  }

  return async (act, organisation, person) => {
    if (isBusy) return refuse('Another deletion is under way. Try again when it is done.');
    isBusy = true;
    try {
      return await runForget(act, organisation, person);
    } finally {
      isBusy = false;
    }
  };
}

/**
 * Returns the condition for the rows of a person. ClickHouse stores the text of a deletion in a file. So the text has a
 * digest in place of the address or session: the database computes SipHash with a random key of this request.
 */
async function conditionOf(
  state: () => EngineState,
  organisation: string,
  { kind, value }: Person,
): Promise<OrReason<string>> {
  const [firstKey, secondKey] = [randomBytes(8), randomBytes(8)].map((key) =>
    key.readBigUInt64LE(),
  );
  const digest = (sqlValue: string): string =>
    `hex(sipHash128Keyed((toUInt64(${firstKey}), toUInt64(${secondKey})), ${sqlValue}))`;
  const sql = `SELECT ${digest(quoteText(value))}`;
  const answer = await sendAsWriter(state, COUNT_TIMEOUT_MS, () => ({ sql }));
  if (typeof answer !== 'string') return answer;
  const columns = kind === 'address' ? ['ip'] : ['session', 'session_sent'];
  const anyColumn = columns
    .map((column) => `${digest(column)} = ${quoteText(answer)}`)
    .join(' OR ');
  return `${rowFilter(organisation)} AND (${anyColumn})`;
}

/**
 * ALTER TABLE DELETE rewrites the parts without the rows. DELETE FROM only hides the rows and keeps them on disk until
 * a later merge. `mutations_sync = 2` waits for all replicas. The servers of a cluster get nearly the whole time: by
 * default ClickHouse reports an error after 180 seconds and continues to delete.
 */
function deleteRows(state: () => EngineState, condition: string): Promise<OrReason<string>> {
  const clusterS = DELETE_TIMEOUT_MS / 1000 - 60;
  return sendAsWriter(state, DELETE_TIMEOUT_MS, ({ cluster }) => ({
    sql: `ALTER TABLE ${DATABASE}.${LOCAL_TABLE}${cluster === undefined ? '' : ` ON CLUSTER ${quoteName(cluster)}`} DELETE WHERE ${condition} SETTINGS mutations_sync = 2`,
    parameters: cluster === undefined ? {} : { distributed_ddl_task_timeout: String(clusterS) },
    lateMessage: `The database is still deleting after half an hour, and continues. ${howToSeeTheRest(cluster)}`,
  }));
}

function howToSeeTheRest(cluster: string | undefined): string {
  const again = 'Run guard forget again later. It counts the remaining rows.';
  if (cluster === undefined) return again;
  const everywhere = `clusterAllReplicas(${quoteText(cluster)}, system.mutations)`;
  return `An account that may read system.mutations can see the remaining work: SELECT hostName(), parts_to_do, latest_fail_reason FROM ${everywhere} WHERE database = '${DATABASE}' AND table = '${LOCAL_TABLE}' AND NOT is_done. ${again}`;
}

async function count(state: () => EngineState, condition: string): Promise<OrReason<number>> {
  const sql = `SELECT count() FROM ${DATABASE}.${TABLE} WHERE ${condition}`;
  const answer = await sendAsWriter(state, COUNT_TIMEOUT_MS, () => ({ sql }));
  return typeof answer === 'string' ? Number(answer) : answer;
}

interface WriterStatement {
  readonly sql: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** The message for a deletion that reached the time limit. */
  readonly lateMessage?: string;
}

/** Runs a statement with the writing account. Resolves with the answer. */
async function sendAsWriter(
  state: () => EngineState,
  timeoutMs: number,
  question: (database: Database) => WriterStatement,
): Promise<OrReason<string>> {
  const askOutcome = await ask(state, undefined, (database) => {
    const { sql, parameters } = question(database);
    return database.client.send({
      account: database.writer,
      parameters: { database: DATABASE, ...parameters },
      body: [Buffer.from(sql)],
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
  });
  switch (askOutcome.kind) {
    case 'away':
      return { why: askOutcome.message };
    case 'cancelled':
      return { why: 'The question was cancelled.' };
    case 'asked': {
      const { answer, database } = askOutcome;
      if (answer === undefined) return { why: 'The database was not asked.' };
      const { lateMessage } = question(database);
      if (lateMessage !== undefined && isLate(answer)) return { why: lateMessage };
      const failureText = failureOf(answer);
      if (failureText !== undefined) return { why: `The database refused it: ${failureText}` };
      return answer.kind === 'answered' ? answer.body.toString().trim() : '';
    }
  }
}

function isLate(answer: DatabaseAnswer): boolean {
  return (
    answer.kind === 'timeout' ||
    (answer.kind === 'answered' && answer.exceptionCode === TIMEOUT_EXCEEDED)
  );
}

function refuse(message: string): ForgetResult {
  return { kind: 'refused', message };
}
