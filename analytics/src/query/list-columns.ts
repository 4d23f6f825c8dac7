import { texts } from '@guard/config/plain-words/cells';
import type { Column, ListColumns } from '@guard/config/contract/ports';
import { DATABASE, TABLE } from '../database/accounts.ts';
import { ask, type EngineState } from '../database/engine.ts';
import { failureOf } from '../database/prepare.ts';

const COLUMNS_QUERY = `SELECT name, type, comment FROM system.columns
WHERE database = '${DATABASE}' AND table = '${TABLE}' ORDER BY position
FORMAT JSONCompactColumns`;

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Reads the columns from the database itself (contract 4.4), with the writing account, because the accounts of
 * organisations cannot read system tables. Rejects while the database is away.
 */
export function createListColumns(state: () => EngineState): ListColumns {
  return async () => columnsOf(JSON.parse(await readAsWriter(state, COLUMNS_QUERY)));
}

/** The answer to a statement of Guard itself. Rejects with a reason when there is no answer. */
export async function readAsWriter(state: () => EngineState, sql: string): Promise<string> {
  const askOutcome = await ask(state, undefined, ({ client, writer }) =>
    client.send({
      account: writer,
      parameters: {},
      body: [Buffer.from(sql)],
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    }),
  );
  if (askOutcome.kind !== 'asked')
    throw new Error(askOutcome.kind === 'away' ? askOutcome.message : askOutcome.kind);
  const { answer } = askOutcome;
  const failureText = answer && failureOf(answer);
  if (failureText !== undefined || answer?.kind !== 'answered') {
    throw new Error(`The database could not be read: ${failureText ?? 'no server is available'}`);
  }
  return answer.body.toString('utf8');
}

/** The format JSONCompactColumns has one list for each column of the result. */
function columnsOf(result: unknown): Column[] {
  const lists: unknown[] = Array.isArray(result) ? result : [];
  const [names = [], types = [], comments = []] = lists.map(texts);
  return names.map((name, at) => ({ name, type: types[at] ?? '', comment: comments[at] ?? '' }));
}
