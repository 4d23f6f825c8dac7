import { randomBytes } from 'node:crypto';
import type { ForgetAnswer, Person } from '@guard/config/settings/derived/forget-request';
import { DATABASE, LOCAL_TABLE, rowFilter, TABLE } from './accounts.ts';
import { ask, type Database, type EngineState } from './engine.ts';
import { failure } from './prepare.ts';
import { quoteName, quoteText } from './schema.ts';

/** Half an hour: a deletion rewrites each part of the table that has such a row. */
const DELETE_TIMEOUT_MS = 1_800_000;
const COUNT_TIMEOUT_MS = 120_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Rows that arrive during a deletion are deleted in the next round. This is the most rounds for one request. */
const MOST_ROUNDS = 3;

/** The result, before the deletion is written to the log. */
export type Forgotten =
  | Exclude<ForgetAnswer, { readonly kind: 'deleted' }>
  | Omit<Extract<ForgetAnswer, { readonly kind: 'deleted' }>, 'audit'>;

/** Counts or deletes the rows of one person in one organisation. One request at a time. Never rejects. */
export type Forget = (
  act: 'count' | 'delete',
  organisation: string,
  person: Person,
) => Promise<Forgotten>;

/**
 * @param settle waits a limited time until earlier events are in the database. Resolves with the number of
 *   events that still wait.
 */
export function createForget(state: () => EngineState, settle: () => Promise<number>): Forget {
  let isBusy = false;

  async function run(
    act: 'count' | 'delete',
    organisation: string,
    person: Person,
  ): Promise<Forgotten> {
    const condition = await conditionOf(state, organisation, person);
    if (typeof condition !== 'string') return refused(condition.why);
    let waiting = await settle();
    let rows = 0;
    for (let round = 0; ; round += 1) {
      const found = await count(state, condition);
      if (typeof found !== 'number') return refused(found.why);
      if (act === 'count') return { kind: 'counted', rows: found, waiting };
      if (found === 0 || round === MOST_ROUNDS) {
        return { kind: 'deleted', rows, left: found, waiting };
      }
      const deleted = await send(state, DELETE_TIMEOUT_MS, (database) =>
        deletion(database, condition),
      );
      if (typeof deleted !== 'string') return refused(deleted.why);
      rows += found;
      waiting = await settle();
    }
  }

  return async (act, organisation, person) => {
    if (isBusy) return refused('Another deletion is under way. Try again when it is done.');
    isBusy = true;
    try {
      return await run(act, organisation, person);
    } finally {
      isBusy = false;
    }
  };
}

/**
 * The condition for the rows of a person. ClickHouse stores the text of a deletion in a file. So the text has
 * a digest instead of the address: SipHash with a random key of this request, which the database computes.
 */
async function conditionOf(
  state: () => EngineState,
  organisation: string,
  { kind, value }: Person,
): Promise<string | { readonly why: string }> {
  const [first, second] = [randomBytes(8), randomBytes(8)].map((key) => key.readBigUInt64LE());
  const digest = (of: string): string =>
    `hex(sipHash128Keyed((toUInt64(${first}), toUInt64(${second})), ${of}))`;
  const answer = await send(state, COUNT_TIMEOUT_MS, () => `SELECT ${digest(quoteText(value))}`);
  if (typeof answer !== 'string') return answer;
  const columns = kind === 'address' ? ['ip'] : ['session', 'session_sent'];
  const either = columns.map((column) => `${digest(column)} = ${quoteText(answer)}`).join(' OR ');
  return `${rowFilter(organisation)} AND (${either})`;
}

/**
 * ALTER TABLE DELETE rewrites the parts without the rows. DELETE FROM would only hide the rows and keep them
 * on the disk until a later merge. `mutations_sync = 2` waits for all replicas.
 */
function deletion({ cluster }: Database, condition: string): string {
  const scope = cluster === undefined ? '' : ` ON CLUSTER ${quoteName(cluster)}`;
  return `ALTER TABLE ${DATABASE}.${LOCAL_TABLE}${scope} DELETE WHERE ${condition} SETTINGS mutations_sync = 2`;
}

async function count(
  state: () => EngineState,
  condition: string,
): Promise<number | { readonly why: string }> {
  const sql = `SELECT count() FROM ${DATABASE}.${TABLE} WHERE ${condition}`;
  const answer = await send(state, COUNT_TIMEOUT_MS, () => sql);
  return typeof answer === 'string' ? Number(answer) : answer;
}

/** The answer to a statement of the writing account, or the reason why it failed. */
async function send(
  state: () => EngineState,
  timeoutMs: number,
  sql: (database: Database) => string,
): Promise<string | { readonly why: string }> {
  const asked = await ask(state, undefined, (database) =>
    database.client.send({
      account: database.writer,
      parameters: { database: DATABASE },
      body: [Buffer.from(sql(database))],
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    }),
  );
  switch (asked.kind) {
    case 'away':
      return { why: asked.message };
    case 'cancelled':
      return { why: 'The question was cancelled.' };
    case 'asked': {
      const { answer } = asked;
      if (answer === undefined) return { why: 'The database was not asked.' };
      const failed = failure(answer);
      if (failed !== undefined) return { why: `The database did not do it: ${failed}` };
      return answer.kind === 'answered' ? answer.body.toString().trim() : '';
    }
  }
}

function refused(message: string): Forgotten {
  return { kind: 'refused', message };
}
