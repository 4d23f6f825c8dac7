/** The port through which the validator stores sessions, spent tickets and budgets. */
import type { MaybePromise } from './maybe-promise.ts';

/** The stored facts of a session after its challenge was judged. Before that, nothing is stored. */
export interface Session {
  readonly organisation: string;
  readonly state: 'verified' | 'rejected';
  /**
   * Why the session was rejected: reason identifiers of contract/reasons.ts. A verified session has reasons when its
   * upload was doubtful. Such a session has a short pass (validator/src/session/short-pass.ts).
   */
  readonly reasons: readonly string[];
  /** A digest of the judged User-Agent. Its length does not depend on the visitor. */
  readonly userAgentHash: string;
  /** The /24 or /64 from which the judged upload came. */
  readonly network: string;
  /** Class of the judged client (validator/src/request/client-class.ts). Empty when it is unknown. */
  readonly client: string;
  readonly judgedAt: number;
  /**
   * The newest value of `_guard` that came with a request (validator/src/session/renewal.ts). Empty when two clients
   * used the session: then none of its values is valid. Absent when an earlier version stored the session.
   */
  readonly newest?: string | undefined;
  /** The time at which the newest value was first seen. */
  readonly newestAt?: number | undefined;
}

/** The budget of a rate-limit counter. */
export interface Budget {
  readonly requests: number;
  readonly perMs: number;
}

/** A counter from which a request takes one, with its budget. */
export interface Charge {
  readonly subject: string;
  readonly budget: Budget;
}

/**
 * Each kind of store implements this interface, and all kinds pass the same contract test. A look-up with any value of
 * a session finds the session, because a store compares only the roots (contract/session-root.ts).
 */
export interface SessionStore {
  /**
   * A remote store waits for at most the time limit of a decision (VALIDATE.budgetMs). After that it answers from the
   * local state. `take` does the same. Both promises always resolve.
   */
  session(id: string): MaybePromise<Session | undefined>;
  /**
   * Like `session`, for an id without a valid MAC. A remote store looks up a limited number of such ids, and treats the
   * others as unknown. Absent in a local store.
   */
  sessionOfStranger?(id: string): MaybePromise<Session | undefined>;
  keepSession(id: string, session: Session, ttlMs: number): MaybePromise<void>;
  /**
   * True for exactly one caller per id until `ttlMs` has passed. The validator uses it to spend a ticket atomically.
   */
  spend(id: string, ttlMs: number): MaybePromise<boolean>;
  /**
   * Takes one request from the GCRA counter of `subject` (an address, a session, …) for the budget `name`. Returns 0
   * when the request fits into the budget, or else the milliseconds until a request fits. There are few names and many
   * subjects.
   */
  take(name: string, subject: string, budget: Budget): MaybePromise<number>;
  /**
   * Like `take`, but without a promise, from the counters of all threads. A remote store finds out a moment later what
   * other instances took. Meanwhile all instances together can take too much. Later requests then wait longer.
   */
  takeSync(name: string, subject: string, budget: Budget): number;
  /** Like `takeAll`, but without a promise, and only the threads of this process share the counters. */
  takeInProcess(name: string, charges: readonly Charge[]): number;
  /** Gives back a request that `takeInProcess` took. */
  giveBackInProcess(name: string, charges: readonly Charge[]): void;
  /**
   * Takes one request from all counters, or from none, and returns the milliseconds until the request fits into all of
   * them.
   */
  takeAll(name: string, charges: readonly Charge[]): MaybePromise<number>;
  /** Remembers `subject` (an address, a network) under `name` for `ttlMs`. Never rejects. There are few names. */
  remember(name: string, subject: string, ttlMs: number): MaybePromise<void>;
  /**
   * Whether `subject` is remembered under `name`. While a shared store is away, the memory of this process gives the
   * answer.
   */
  remembers(name: string, subject: string): MaybePromise<boolean>;
  close(): Promise<void>;
}
