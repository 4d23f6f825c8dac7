import type { Account, DatabaseAnswer, DatabaseClient } from './database-client.ts';

/** A database that answered, and whose schema and accounts are in place. */
export interface Database {
  readonly client: DatabaseClient;
  /** Writes events and reads the schema; never runs what a client sent. */
  readonly writer: Account;
  /** The table that inserts name: the local one, or on a cluster the distributed one. */
  readonly insertInto: string;
  /** The cluster on all of whose servers rows are deleted; undefined: there is one server. */
  readonly cluster: string | undefined;
  /** The account of an organisation, or undefined when the settings name no such organisation. */
  account(organisation: string): Account | undefined;
  /** Paths and host names that no answer to a client may show. */
  readonly secrets: readonly string[];
}

export type EngineState =
  | { readonly kind: 'ready'; readonly database: Database }
  /** Not started yet, starting again, or away; `message` is for the caller of a query. */
  | {
      readonly kind: 'away';
      readonly message: string;
      /**
       * There when it is away on purpose and for a moment: resolves, always, when that moment is
       * over. What was asked of it meanwhile, or was cut off by that, is to be asked again then.
       */
      readonly back?: Promise<undefined>;
    }
  /** Does not start, or waits for room on its disk; it is tried again and again. `message` says why. */
  | { readonly kind: 'failing'; readonly message: string }
  /** Will not come: it is not installed. */
  | { readonly kind: 'missing'; readonly message: string };

/** Where the database is, and whether it can be asked just now; one implementation a mode. */
export interface Engine {
  readonly state: () => EngineState;
  /** True while no row is deleted for its age, because the clock is not believed. */
  readonly holdsDeletion: () => boolean;
  /**
   * From now on these have accounts; a new one can be asked for as soon as its account is made. No
   * query of the others fails for that.
   */
  setOrganisations(organisations: readonly string[]): void;
  /** Stops the engine, or lets go of it. */
  close(): Promise<void>;
}

/** The result of a question. `undefined` means that there was nothing to ask. */
type Asked =
  | {
      readonly kind: 'asked';
      readonly database: Database;
      readonly answer: DatabaseAnswer | undefined;
    }
  | { readonly kind: 'away'; readonly message: string }
  | { readonly kind: 'cancelled' };

/** Restarts that one question outlasts: settings that change all the time must not hold it for ever. */
const MAX_RESTARTS = 3;

/**
 * Asks a database that may be restarting on purpose. Waits for it, and repeats a question that the restart cut off.
 * So `question` must be one that may be asked twice: it reads, and nothing of a broken answer is used.
 *
 * @param signal ends the waiting.
 */
export async function ask(
  state: () => EngineState,
  signal: AbortSignal | undefined,
  question: (database: Database) => Promise<DatabaseAnswer | undefined>,
): Promise<Asked> {
  for (let restarts = 0; ; restarts += 1) {
    const back = backOf(state());
    if (back !== undefined) await wait(back, signal);
    if (signal?.aborted) return { kind: 'cancelled' };
    const now = state();
    if (now.kind !== 'ready') return { kind: 'away', message: now.message };
    const { database } = now;
    const answer = await question(database);
    const cutOff = answer?.kind === 'failed' && backOf(state()) !== undefined;
    if (!cutOff || restarts === MAX_RESTARTS) return { kind: 'asked', database, answer };
  }
}

function backOf(state: EngineState): Promise<undefined> | undefined {
  return state.kind === 'away' ? state.back : undefined;
}

/** Resolves when `back` does, or early when the signal fires; never rejects. */
function wait(back: Promise<undefined>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal?.removeEventListener('abort', done);
      resolve();
    };
    if (signal?.aborted) done();
    signal?.addEventListener('abort', done, { once: true });
    void back.then(done);
  });
}
