import type { Account, DatabaseClient } from '../database/database-client.ts';

/** Runs a statement with an account, without the gate. Returns the trimmed answer of the database. */
export async function askDirectly(
  client: DatabaseClient,
  account: Account,
  sql: string,
): Promise<string> {
  const answer = await client.send({
    account,
    parameters: { database: 'default' },
    body: [Buffer.from(sql)],
    timeoutMs: 60_000,
    maxAnswerBytes: 1024 * 1024,
  });
  return answer.kind === 'answered' ? answer.body.toString().trim() : JSON.stringify(answer);
}
