import type { Insert, InsertOutcome } from '../events/outbox.ts';
import { DATABASE } from './accounts.ts';
import type { EngineState } from './engine.ts';
import type { DatabaseAnswer } from './database-client.ts';
import { failure } from './prepare.ts';

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Error codes that say the rows themselves are at fault, so that no later attempt can succeed:
 * a layout that cannot be read, such as that of a damaged file, values that cannot be parsed or
 * converted, and limits a value exceeds. Everything else, a full disk or a wrong password included,
 * can pass.
 */
const REJECTED = new Set([
  6, 26, 27, 32, 33, 38, 41, 50, 53, 62, 69, 70, 72, 117, 128, 131, 321, 376, 469,
]);

/** Inserts batches; only an answer of 200 to the whole insert acknowledges one. */
export function createInsert(state: () => EngineState): Insert {
  return async (batch, signal) => {
    const now = state();
    if (now.kind !== 'ready') return { kind: 'retry', reason: now.message };
    const { client, writer, insertInto } = now.database;
    const answer = await client.send({
      account: writer,
      parameters: {
        database: DATABASE,
        // Blocks name their columns, and may lack the newest.
        query: `INSERT INTO ${insertInto} FORMAT Native`,
        // The same token for each attempt: rows of an attempt whose answer was lost stay single.
        insert_deduplication_token: batch.token,
        async_insert: '0',
        // On a cluster: written on the shard, not only queued for it.
        distributed_foreground_insert: '1',
        // Events that waited on disk may be from many days.
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
  const reason = failure(answer);
  if (reason === undefined) return { kind: 'written' };
  const rejected = answer.kind === 'answered' && REJECTED.has(answer.exceptionCode);
  return { kind: rejected ? 'rejected' : 'retry', reason };
}
