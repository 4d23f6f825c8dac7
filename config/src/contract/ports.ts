/** The seams between the packages. Only server/ knows both sides of a seam. */
import type { AnswerForm } from './answer-form.ts';
import type { DecisionEvent, IpSource, Protocol } from './event.ts';
import type { MetricName } from './metrics.ts';
import type { ReplayOutcome } from './replay.ts';
import type { TransportFacts } from './transport.ts';
import type { ValidateRequest } from './validate-request.ts';
import type { ForeignValidateResponse } from './validate-response.ts';

export type MaybePromise<T> = T | Promise<T>;

/** Milliseconds since the epoch. Injected, so that tests move time instead of waiting for it. */
export type Clock = () => number;

/** One JSON line. `event` is a stable identifier; no field ever holds a key, cookie or secret. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  event: string,
  fields?: Readonly<Record<string, string | number | boolean>>,
) => void;

/** Counters and gauges for `GET /metrics`. The names, and what they mean, are contract/metrics.ts. */
export interface Metrics {
  count(name: MetricName, label?: string, by?: number): void;
  /** Registers a value, or one for each label, that is read when the metrics page is asked for. */
  gauge(name: MetricName, read: () => number | ReadonlyMap<string, number>): void;
}

// ---- gateway asks, validator decides --------------------------------------------------------

/** Every way a question to a validator can end. Which of them pass a visitor is gateway/fail-policy.ts. */
export type ValidateOutcome =
  | {
      readonly kind: 'answered';
      readonly response: ForeignValidateResponse;
      /** What an answer on the wire does not say; absent where it came over the wire. */
      readonly known?: KnownBesides;
    }
  /** The validator refused the question itself: any 4xx. */
  | { readonly kind: 'rejected'; readonly status: number; readonly type: string }
  /** No usable answer: 5xx, `success: false`, nonsense, no connection, too late, or not asked at all. */
  | { readonly kind: 'failed'; readonly reason: ValidateFailure; readonly detail: string };

/** Why there is no usable answer; the label of `guard_gateway_fail_open_total`. */
export type ValidateFailure =
  | 'server_error'
  /** `success: false` with HTTP 200. */
  | 'unsuccessful'
  /** Not an answer of contract 2.2: another shape, no JSON, too large, a redirect. */
  | 'bad_answer'
  /** No connection, or one that broke before the answer was whole. */
  | 'connection'
  | 'timeout'
  /** The gateway's own limit, and no word about the validator: too many questions at once, or no time to read an answer. */
  | 'overloaded'
  /** Not asked: the validator has given no answer lately. */
  | 'breaker_open';

/** What a validator knows about a visitor beside its answer. */
export interface KnownBesides {
  /** Digest of the session that the visitor presented or is given; empty when there is none. */
  readonly session: string;
  /** What `response_html` is the Base64 of, so that a caller in the same process needs none. */
  readonly body?: Buffer | undefined;
  /** The decision as it is to be remembered. It is not recorded yet: the caller does that, once. */
  readonly event: DecisionEvent;
  /** A gateway calls it once, when it is known how the request ended (validator/src/verdict/free-pages.ts and pressure/). */
  readonly ended?: RequestEnded | undefined;
  /** The crawler of the answer is who it says it is. */
  readonly crawlerVerified: boolean;
}

/**
 * How a request ended: the origin answered it with a page of HTML or with what can hide one (several ranges, no type),
 * with data (JSON, XML), or it is something else.
 */
export type Ending = 'document' | 'data' | 'other';

/** What an origin answered: its status, or our own 502 or 504; and how long after the request's last byte, or 0 before it. */
export interface OriginAnswer {
  readonly status: number;
  readonly ms: number;
}

/** No `answer` where the origin was not asked, or the visitor did not wait for it. */
export type RequestEnded = (how: Ending, answer?: OriginAnswer) => void;

/** How the asking side is placed; never part of the wire. */
export interface ValidateContext {
  /** Ends the question early: the visitor has gone, or the caller's own time is up. */
  readonly signal?: AbortSignal;
  /** Name of the gateway site that asks; absent for `POST /validate`. */
  readonly site?: string;
  /** How the asking side came to know the visitor's address. */
  readonly ipFrom?: IpSource;
  /** DecisionEvent.protocol. */
  readonly protocol?: Protocol;
  /** What the visitor's own TLS and HTTP/2 handshake showed, where the gateway saw it. */
  readonly transport?: TransportFacts;
  /** Only for the event: DecisionEvent.body. */
  readonly body?: string;
}

/**
 * Asks one validator, on behalf of one organisation, about one request, whose header names are in lower
 * case. Never rejects.
 */
export type Validate = (
  request: ValidateRequest,
  context: ValidateContext,
) => MaybePromise<ValidateOutcome>;

// ---- browser uploads, validator judges -------------------------------------------------------

/** One request to the collector, however it came in (own listener, or `/.guard/` of a site). */
export interface CollectRequest {
  readonly method: string;
  /** Path below the collector's root, with a leading slash and without a query. */
  readonly path: string;
  /** Behind the question mark, as it was sent; absent means that there was none. */
  readonly query?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly ip: string;
  /** How the visitor reached the site. Absent on the collector's own listener, which does not know the site. */
  readonly connection?: VisitorConnection;
}

/** What is known of the connection of a visitor. */
export interface VisitorConnection {
  readonly scheme: 'http' | 'https';
  /** As ValidateContext.ipFrom. */
  readonly ipFrom: IpSource;
  /** As ValidateContext.transport. */
  readonly transport: TransportFacts | undefined;
}

export interface CollectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes where the body is compressed. The sender of the answer leaves it out for HEAD. */
  readonly body: string | Uint8Array;
}

/** What the collector serves to browsers: script, sessions for it, uploads (contract 3, 4.7). Never rejects. */
export type Collect = (request: CollectRequest) => Promise<CollectAnswer>;

// ---- everyone reports, analytics remembers ----------------------------------------------------

export interface EventSink {
  /** Takes one event. Returns at once, never throws; a full buffer drops and counts. */
  record(event: DecisionEvent): void;
}

// ---- analytics answers -------------------------------------------------------------------------

export type QueryOutcome =
  | {
      readonly kind: 'rows';
      readonly contentType: string;
      readonly body: Uint8Array;
      /** Name of the format that the body is in. */
      readonly format?: string | undefined;
    }
  /** The statement gate said no; `message` is for the caller. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The database said no; its own words, status and code. */
  | { readonly kind: 'database_error'; readonly status: number; readonly message: string }
  | { readonly kind: 'too_large' }
  /** The key stopped to be one while the statement waited or ran. */
  | { readonly kind: 'revoked' }
  | { readonly kind: 'unavailable'; readonly message: string };

/** The caller of a query: an organisation, and its key if it has one. */
export interface Asking {
  readonly organisation: string;
  /** What the caller was let in with: the query ends when this credential ends, and counts for its key. */
  readonly authorization?: string | undefined;
}

/** Runs one read-only statement inside the walls of one organisation (contract 4.3). Never rejects. */
export type RunQuery = (
  query: Asking & {
    readonly sql: string;
    /** How the answer is wanted; tab-separated and without names by default. */
    readonly form?: AnswerForm;
    /** Resolves when the caller has the rows or has gone. Until then the rows fill memory, and the query keeps its slot. Never rejects. */
    readonly delivered?: Promise<unknown>;
    readonly signal?: AbortSignal;
  },
) => Promise<QueryOutcome>;

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
}

/**
 * Judges stored events of one organisation with one changed setting (replay/src/process/replay-change.ts). Takes up to 20
 * seconds. Never rejects.
 */
export type Replay = (question: {
  readonly organisation: string;
  /** As it came from the page: a ReplayChange of replay/src/change/change.ts, or what is refused. */
  readonly change: unknown;
  /** How far back events are judged: 1 to 168, 24 by default. As it came from the page. */
  readonly hours?: unknown;
  /** As RunQuery has it. */
  readonly authorization?: string | undefined;
  readonly signal: AbortSignal;
}) => Promise<ReplayOutcome>;

/** The readable columns of `events_distributed`, read live from the database (contract 4.4). */
export type ListColumns = () => Promise<readonly Column[]>;

/** Whose analytics key was presented. */
interface KeyHolder {
  readonly organisation: string;
  /** Identifier of the key, which no other analytics key of the organisation has. */
  readonly key: string;
}

/** Who presents a bearer key; undefined for an unknown, revoked or expired one. */
export type AuthenticateBearer = (authorization: string | undefined) => KeyHolder | undefined;

// ---- validator keeps state ---------------------------------------------------------------------

/** What is known of a session after its challenge was judged. Before that, nothing is stored. */
export interface Session {
  readonly organisation: string;
  readonly state: 'verified' | 'rejected';
  /**
   * Why it was rejected: reason identifiers of contract/reasons.ts. A verified session has them where it was doubted:
   * then its pass is a short one, which is good for less (validator/src/session/short-pass.ts).
   */
  readonly reasons: readonly string[];
  /** A digest of the User-Agent that was judged, so that its length is not the visitor's choice. */
  readonly userAgentHash: string;
  /** /24 or /64 that it was judged in. */
  readonly network: string;
  /** Class of the client that was judged (validator/src/request/client-class.ts). Empty when it is unknown. */
  readonly client: string;
  readonly judgedAt: number;
  /**
   * The newest value of `_guard` that came with a request (validator/src/session/renewal.ts). Empty when two clients
   * had the session: then no value of it counts. Absent where an earlier version wrote it.
   */
  readonly newest?: string | undefined;
  /** When that value came first. */
  readonly newestAt?: number | undefined;
}

/** How much a rate-limit counter holds. */
export interface Budget {
  readonly requests: number;
  readonly perMs: number;
}

/** One of the counters that a request is charged to: whose it is, and how much it holds. */
export interface Charge {
  readonly subject: string;
  readonly budget: Budget;
}

/**
 * One implementation a kind of store; all pass the same contract test. A session is known by any of its values: a
 * store looks only at their root (contract/session-root.ts).
 */
export interface SessionStore {
  /**
   * A store whose answers come from elsewhere waits for them within the budget of a decision (VALIDATE.budgetMs),
   * and then goes on from what it knows here. `take` does the same. Both always resolve.
   */
  session(id: string): MaybePromise<Session | undefined>;
  /**
   * `session` for an id without a MAC of ours, in a store where each question is a round trip: of those
   * only this many are asked, and the rest count as unknown. Absent where `session` costs nothing.
   */
  sessionOfStranger?(id: string): MaybePromise<Session | undefined>;
  keepSession(id: string, session: Session, ttlMs: number): MaybePromise<void>;
  /** True for exactly one caller per id until `ttlMs` has passed: the atomic spend of a ticket. */
  spend(id: string, ttlMs: number): MaybePromise<boolean>;
  /**
   * Takes one request from the GCRA counter that `subject` (an address, a session, …) has of the budget
   * called `name`; 0 when it fits, else milliseconds until one fits. Names are few, subjects are not.
   */
  take(name: string, subject: string, budget: Budget): MaybePromise<number>;
  /**
   * The same from several counters at once, in one question to a store that is shared: from each of them when
   * it fits them all, and from none otherwise. Then it gives the milliseconds until it fits the last of them.
   */
  takeAll(name: string, charges: readonly Charge[]): MaybePromise<number>;
  /** Remembers `subject` (an address, a network) under `name` for `ttlMs`. Never rejects; names are few. */
  remember(name: string, subject: string, ttlMs: number): MaybePromise<void>;
  /** Whether `subject` is remembered under `name`; what this process knows, where a shared store is away. */
  remembers(name: string, subject: string): MaybePromise<boolean>;
  close(): Promise<void>;
}
