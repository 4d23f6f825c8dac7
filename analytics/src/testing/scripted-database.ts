import type { DatabaseAnswer, DatabaseClient } from '../database/database-client.ts';
import { LOCAL_TABLE } from '../database/accounts.ts';
import type { EngineState } from '../database/engine.ts';

/** The state of an engine that is ready. Its database answers with `send`. */
export function scriptedDatabase(send: DatabaseClient['send']): () => EngineState {
  const account = { user: 'of-a-test', password: '' };
  const client = { send, ping: () => Promise.resolve(true), close: () => undefined };
  const database = { client, writer: account, account: () => account, cluster: undefined };
  return () => ({
    kind: 'ready',
    database: { ...database, insertInto: LOCAL_TABLE, secrets: [] },
  });
}

/** An answer of the database with this text: rows when `code` is 0, else an error with this code. */
export function scriptedAnswer(text: string, exceptionCode = 0): DatabaseAnswer {
  const head = { status: exceptionCode === 0 ? 200 : 500, contentType: '', format: '' };
  return { kind: 'answered', ...head, exceptionCode, body: Buffer.from(text) };
}
