import type { Insert, InsertOutcome } from '../events/outbox.ts';
import { DATABASE } from './accounts.ts';
import type { EngineState } from './engine.ts';
import type { DatabaseAnswer } from './database-client.ts';
import { failureOf } from './prepare.ts';

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Error codes of rows that no later attempt can insert. The causes are an unreadable layout (as in a damaged file),
 * values that cannot be parsed or converted, and exceeded limits. The causes of all other errors can go away, such as a
 * full disk or a wrong password.
 */
const REJECTED_CODES = new Set([
  6, 26, 27, 32, 33, 38, 41, 50, 53, 62, 69, 70, 72, 117, 128, 131, 321, 376, 469,
]);

/** Inserts batches. A batch is acknowledged only when the database answers the whole insert with 200. */
export function createInsert(state: () => EngineState): Insert {
  return async (batch, signal) => {
    const currentState = state();
    if (currentState.kind !== 'ready') return { kind: 'retry', reason: currentState.message };
    const { client, writer, insertInto } = currentState.database;
    const answer = await client.send({
      account: writer,
      parameters: {
        database: DATABASE,
        // Each block contains the names of its columns. Blocks of an earlier version can lack the newest columns.
        query: `INSERT INTO ${insertInto} FORMAT Native`,
        // Each attempt has the same token. So when the answer to an attempt is lost, the next attempt does not store
        // the rows twice.
        insert_deduplication_token: batch.token,
        async_insert: '0',
        // On a cluster: wait until the shard has written the rows. By default the rows are only queued.
        distributed_foreground_insert: '1',
        // There is no limit of partitions, because events that waited on disk can be from many days.
        max_partitions_per_insert_block: '0',
      },
      body: batch.parts,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal,
    });
    return outcomeOf(answer);
  };
}

function outcomeOf(answer: DatabaseAnswer): InsertOutcome {
  const reason = failureOf(answer);
  if (reason === undefined) return { kind: 'written' };
  const isRejected = answer.kind === 'answered' && REJECTED_CODES.has(answer.exceptionCode);
  return { kind: isRejected ? 'rejected' : 'retry', reason };
}
