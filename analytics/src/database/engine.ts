import type { Account, DatabaseClient } from './database-client.ts';

/** A database that answered, and whose schema and accounts are in place. */
export interface Database {
  readonly client: DatabaseClient;
  /** Writes events and reads the schema; never runs what a client sent. */
  readonly writer: Account;
  /** The table that inserts name: the local one, or on a cluster the distributed one. */
  readonly insertInto: string;
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
