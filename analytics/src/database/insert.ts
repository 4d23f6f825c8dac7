import type { BatchFormat } from '../events/batch.ts';
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
        query: `INSERT INTO ${insertInto} ${columnsOf(batch.format)} FORMAT ${batch.format}`,
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

/** The columns of the only version that wrote lines. */
const COLUMNS_OF_LINES = [
  ...['created_at', 'request_id', 'organisation', 'site', 'action', 'decision', 'response'],
  ...['status_code', 'rule', 'monitor', 'observe', 'rate_limited', 'block_reasons'],
  ...['block_reason_categories', 'crawler_id', 'crawler_name', 'crawler_category'],
  ...['crawler_rsl_category', 'crawler_verified', 'method', 'scheme', 'host', 'path', 'query'],
  ...['referrer_origin', 'ip', 'country', 'user_agent', 'session', 'challenge', 'reference'],
  ...['validator', 'ja4', 'http2', 'duration_us', 'headers', 'body'],
];

/** Blocks name their columns, and may lack the newest; lines say nothing of theirs. */
function columnsOf(format: BatchFormat): string {
  switch (format) {
    case 'Native':
      return '';
    case 'JSONCompactEachRow':
      return `(${COLUMNS_OF_LINES.join(', ')})`;
  }
}

function outcomeOf(answer: DatabaseAnswer): InsertOutcome {
  const reason = failure(answer);
  if (reason === undefined) return { kind: 'written' };
  const rejected = answer.kind === 'answered' && REJECTED.has(answer.exceptionCode);
  return { kind: rejected ? 'rejected' : 'retry', reason };
}
