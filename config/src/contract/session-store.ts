/** The port by which the validator keeps sessions, spent tickets and budgets. */
import type { MaybePromise } from './maybe-promise.ts';

/** The stored facts of a session after its challenge was judged. Before that, nothing is stored. */
export interface Session {
  readonly organisation: string;
  readonly state: 'verified' | 'rejected';
  /**
   * Why it was rejected: reason identifiers of contract/reasons.ts. A verified session has reasons when its upload was
   * doubtful. It then has a short pass (validator/src/session/short-pass.ts).
   */
  readonly reasons: readonly string[];
  /** A digest of the judged User-Agent. Its length does not depend on the visitor. */
  readonly userAgentHash: string;
  /** The /24 or /64 in which it was judged. */
  readonly network: string;
  /** Class of the judged client (validator/src/request/client-class.ts). Empty when it is unknown. */
  readonly client: string;
  readonly judgedAt: number;
  /**
   * The newest value of `_guard` that came with a request (validator/src/session/renewal.ts). Empty when two clients
   * used the session: then no value of it is valid. Absent when an earlier version stored the session.
   */
  readonly newest?: string | undefined;
  /** The time at which that value was first seen. */
  readonly newestAt?: number | undefined;
}

/** The budget of a rate-limit counter. */
export interface Budget {
  readonly requests: number;
  readonly perMs: number;
}

/** A counter that a request takes from, with its budget. */
export interface Charge {
  readonly subject: string;
  readonly budget: Budget;
}

/**
 * Each kind of store implements this, and all pass the same contract test. Every value of a session finds the session,
 * because a store compares only the roots (contract/session-root.ts).
 */
export interface SessionStore {
  /**
   * A remote store waits as long as a decision may take (VALIDATE.budgetMs), then answers from the local state. `take`
   * does the same. Both always resolve.
   */
  session(id: string): MaybePromise<Session | undefined>;
  /**
   * Like `session`, for an id without a valid MAC. A remote store looks up a limited number of such ids, and treats the
   * others as unknown. Absent in a local store.
   */
  sessionOfStranger?(id: string): MaybePromise<Session | undefined>;
  keepSession(id: string, session: Session, ttlMs: number): MaybePromise<void>;
  /** True for exactly one caller per id until `ttlMs` has passed. It spends a ticket atomically. */
  spend(id: string, ttlMs: number): MaybePromise<boolean>;
  /**
   * Takes one request from the GCRA counter of `subject` (an address, a session, …) for the budget `name`. Returns 0
   * when the request fits, else the milliseconds until one fits. There are few names and many subjects.
   */
  take(name: string, subject: string, budget: Budget): MaybePromise<number>;
  /**
   * Like `take`, but without a promise, from the counters of all threads. A remote store learns a moment later what
   * other instances took. Meanwhile they may take too much together. Later requests then wait longer.
   */
  takeSync(name: string, subject: string, budget: Budget): number;
  /** Like `takeSync`, but only the threads of this process share the counters. Absent with one thread. */
  takeInProcess?(name: string, subject: string, budget: Budget): number;
  /** Gives back a request that `takeInProcess` took. */
  giveBackInProcess?(name: string, subject: string, budget: Budget): void;
  /** Takes one request from all counters, or from none, and returns the milliseconds until it fits into all. */
  takeAll(name: string, charges: readonly Charge[]): MaybePromise<number>;
  /** Remembers `subject` (an address, a network) under `name` for `ttlMs`. Never rejects. There are few names. */
  remember(name: string, subject: string, ttlMs: number): MaybePromise<void>;
  /** Whether `subject` is remembered under `name`. While a shared store is away, this process answers. */
  remembers(name: string, subject: string): MaybePromise<boolean>;
  close(): Promise<void>;
}
