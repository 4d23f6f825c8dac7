import type { Account, DatabaseAnswer, DatabaseClient } from './database-client.ts';

export interface Database {
  readonly client: DatabaseClient;
  /** The account that writes events and reads the schema. It never runs a statement of a caller. */
  readonly writer: Account;
  /** The table for inserts: the local one, or the distributed one on a cluster. */
  readonly insertInto: string;
  /** The cluster on whose servers rows are deleted. Undefined for a single server. */
  readonly cluster: string | undefined;
  /** The account of an organisation. Undefined for an organisation that is not in the settings. */
  account(organisation: string): Account | undefined;
  /** Paths and host names that must not appear in an answer to a caller. */
  readonly secrets: readonly string[];
}

export type EngineState =
  | { readonly kind: 'ready'; readonly database: Database }
  /** The database starts, starts again, or cannot be reached. `message` is for the caller of a query. */
  | {
      readonly kind: 'away';
      readonly message: string;
      /**
       * Set during a deliberate restart. Resolves when the restart is over. Then repeat queries that waited or were
       * interrupted.
       */
      readonly restartEnd?: Promise<undefined>;
    }
  /** The database cannot start, or waits for room on its disk. Guard retries. `message` has the cause. */
  | { readonly kind: 'failing'; readonly message: string }
  /** The database is not installed, so it never becomes available. */
  | { readonly kind: 'missing'; readonly message: string };

/** The database and its state. The embedded engine and a ClickHouse server each have an implementation. */
export interface Engine {
  readonly state: () => EngineState;
  /** True while no row is deleted because of its age, because the clock is not trusted. */
  readonly stopsDeletion: () => boolean;
  /** Sets the organisations with accounts. A new organisation can be queried when its account exists. */
  setOrganisations(organisations: readonly string[]): void;
  /** Stops the engine, or disconnects from it. */
  close(): Promise<void>;
}

/** The result of a query. `undefined` means that no database got the query. */
type AskOutcome =
  | {
      readonly kind: 'asked';
      readonly database: Database;
      readonly answer: DatabaseAnswer | undefined;
    }
  | { readonly kind: 'away'; readonly message: string }
  | { readonly kind: 'cancelled' };

/**
 * The maximum number of restarts after which one query is repeated. A query must end even if the settings change all
 * the time.
 */
const MAX_RESTARTS = 3;

/**
 * Queries a database that may restart deliberately. Waits for the end of the restart, unless `signal` fires, and
 * repeats a query that the restart interrupted. So `question` must only read, and the caller must use no part of an
 * incomplete answer.
 */
export async function ask(
  state: () => EngineState,
  signal: AbortSignal | undefined,
  question: (database: Database) => Promise<DatabaseAnswer | undefined>,
): Promise<AskOutcome> {
  for (let restarts = 0; ; restarts += 1) {
    const restartEnd = restartEndOf(state());
    if (restartEnd !== undefined) await waitFor(restartEnd, signal);
    if (signal?.aborted) return { kind: 'cancelled' };
    const currentState = state();
    if (currentState.kind !== 'ready') return { kind: 'away', message: currentState.message };
    const { database } = currentState;
    const answer = await question(database);
    const isCutOff = answer?.kind === 'failed' && restartEndOf(state()) !== undefined;
    if (!isCutOff || restarts === MAX_RESTARTS) return { kind: 'asked', database, answer };
  }
}

function restartEndOf(state: EngineState): Promise<undefined> | undefined {
  return state.kind === 'away' ? state.restartEnd : undefined;
}

/** Resolves when `restartEnd` does, or when the signal fires. Never rejects. */
function waitFor(restartEnd: Promise<undefined>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    if (signal?.aborted) finish();
    signal?.addEventListener('abort', finish, { once: true });
    void restartEnd.then(finish);
  });
}
