import { schemaStatements } from './schema.ts';
import type { Layout } from './schema.ts';
import type { Account, DatabaseAnswer, DatabaseClient } from './http-client.ts';

const STATEMENT_TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Runs one statement of ours. Undefined when the database did it, else why not. */
export async function execute(
  client: DatabaseClient,
  account: Account,
  sql: string,
): Promise<string | undefined> {
  return failure(
    await client.send({
      account,
      parameters: {},
      body: [Buffer.from(sql)],
      timeoutMs: STATEMENT_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    }),
  );
}

/** Brings the schema up to date. Undefined when it is, else the first failure. */
export async function prepareSchema(
  client: DatabaseClient,
  account: Account,
  cluster: string,
  layout: Layout,
): Promise<string | undefined> {
  for (const sql of schemaStatements(cluster, layout)) {
    const failed = await execute(client, account, sql);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

/** Why an answer is no success, for the log; undefined when it is one. */
export function failure(answer: DatabaseAnswer): string | undefined {
  switch (answer.kind) {
    case 'answered':
      return answer.status === 200 && answer.exceptionCode === 0
        ? undefined
        : `HTTP ${answer.status}: ${answer.body.toString('utf8', 0, 500).trim()}`;
    case 'failed':
      return answer.reason;
    case 'timeout':
    case 'aborted':
    case 'too_large':
      return answer.kind;
  }
}
