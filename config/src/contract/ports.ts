/** The interfaces between the packages. Only server/ knows both sides of an interface. */
import type { AnswerForm } from './answer-form.ts';
import type { DecisionEvent, IpSource, Protocol } from './event.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { MetricName } from './metrics.ts';
import type { ReplayOutcome } from './replay.ts';
import type { TransportFacts } from './transport.ts';
import type { ValidateRequest } from './validate-request.ts';
import type { ForeignValidateResponse } from './validate-response.ts';

export type { MaybePromise };
export type { Budget, Charge, Session, SessionStore } from './session-store.ts';

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** Writes one JSON line. `event` is a stable identifier. Fields never contain a key, cookie or secret. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  event: string,
  fields?: Readonly<Record<string, string | number | boolean>>,
) => void;

export interface Metrics {
  count(name: MetricName, label?: string, amount?: number): void;
  /** Registers a value, or one per label, that is read for each metrics page. */
  gauge(name: MetricName, read: () => number | ReadonlyMap<string, number>): void;
}

/** All outcomes of a question to a validator. gateway/src/judge/fail-policy.ts decides for each whether the visitor passes. */
export type ValidateOutcome =
  | {
      readonly kind: 'answered';
      readonly response: ForeignValidateResponse;
      /** Facts that the wire format does not contain. Undefined when the answer came over the wire. */
      readonly extras?: ResponseExtras;
    }
  /** The validator refused the question itself with a 4xx. */
  | { readonly kind: 'rejected'; readonly status: number; readonly type: string }
  /** No usable answer: 5xx, `success: false`, an invalid answer, no connection, a timeout, or not asked at all. */
  | { readonly kind: 'failed'; readonly reason: ValidateFailure; readonly detail: string };

/** Why there is no usable answer. It is the label of `guard_gateway_fail_open_total`. */
export type ValidateFailure =
  | 'server_error'
  /** `success: false` with HTTP 200. */
  | 'unsuccessful'
  /** Not an answer of contract 2.2: another shape, not JSON, too large, a redirect. */
  | 'bad_answer'
  /** There was no connection, or it ended before the answer was complete. */
  | 'connection'
  | 'timeout'
  /** A limit of the gateway itself: too many questions at once, or no time to read an answer. */
  | 'overloaded'
  /** Not asked, because the validator has not answered recently. */
  | 'breaker_open';

/** Facts of the validator about a visitor in addition to its answer. */
export interface ResponseExtras {
  /** Digest of the session that the visitor presented or gets. Empty when there is none. */
  readonly session: string;
  /** The decoded `response_html`, so that a caller in the same process needs no Base64. */
  readonly body?: Buffer | undefined;
  /** Makes `body` in gzip. Undefined when the request does not accept gzip, and for short bodies. */
  readonly gzipBody?: (() => Buffer) | undefined;
  /** The event of the decision. It is not recorded yet: the caller records it once. */
  readonly event: DecisionEvent;
  /** A gateway calls it once when the request has ended (validator/src/verdict/free-pages/free-pages.ts and pressure/). */
  readonly ended?: RequestEnded | undefined;
  /** Undefined when the visitor may get every answer of the origin. */
  readonly holdBack?: HoldBack | undefined;
  /** The crawler of the answer is verified. */
  readonly crawlerVerified: boolean;
}

/**
 * What the origin answered a request with. `document`: HTML, or an answer that can hide HTML (several ranges, no type).
 * `data`: JSON or XML. `file`: a file without a type that the origin also serves in ranges. `content`: other text or
 * files. `other`: media, a font, an error, or no body.
 */
export type Ending = 'document' | 'data' | 'file' | 'content' | 'other';

/** The status of an origin, or 502 or 504 of the gateway, and the time since the request's last byte, at least 0. */
export interface OriginAnswer {
  readonly status: number;
  readonly ms: number;
}

/** `answer` is undefined when the origin was not asked, or the visitor disconnected before it came. */
export type RequestEnded = (ending: Ending, answer?: OriginAnswer) => void;

/**
 * A gateway calls it before an answer goes to the visitor, at most once and before RequestEnded. `isShared` says whether
 * pages of other sites may read the answer (Access-Control-Allow-Origin). Returns what the visitor gets instead, or
 * undefined when the visitor may get the answer.
 */
export type HoldBack = (ending: Ending, isShared: boolean) => HeldBack | undefined;

/** The validator's answer to a visitor who does not get the answer of the origin. */
export interface HeldBack extends ResponseExtras {
  readonly response: ForeignValidateResponse;
}

/** Facts about the asking side. They are never part of the wire format. */
export interface ValidateContext {
  /** Ends the question early, because the visitor has disconnected or the caller's own time is up. */
  readonly signal?: AbortSignal;
  /** Undefined for `POST /validate`, which does not come from a site of the gateway. */
  readonly site?: string;
  /** How the asking side knows the visitor's address. */
  readonly ipFrom?: IpSource;
  /** DecisionEvent.protocol. */
  readonly protocol?: Protocol;
  /** The caller sees the answer of the origin, so it reports the kind of this answer to ResponseExtras.ended. */
  readonly seesAnswer?: true;
  /** The visitor's own TLS and HTTP/2 handshake, if the gateway saw it. */
  readonly transport?: TransportFacts;
  /** Only for the event: DecisionEvent.body. */
  readonly body?: string;
}

/** Asks one validator about one request of one organisation. Header names are in lower case. Never rejects. */
export type Validate = (
  request: ValidateRequest,
  context: ValidateContext,
) => MaybePromise<ValidateOutcome>;

/** One request to the collector, from its own listener or `/.guard/` of a site. */
export interface CollectRequest {
  readonly method: string;
  /** Path below the collector's root, with a leading slash and without a query. */
  readonly path: string;
  /** The unchanged text after the question mark. Undefined when there is no question mark. */
  readonly query?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly ip: string;
  /** How the visitor reached the site. Undefined on the collector's own listener, which does not know the site. */
  readonly connection?: VisitorConnection;
}

export interface VisitorConnection {
  readonly scheme: 'http' | 'https';
  /** The same as ValidateContext.ipFrom. */
  readonly ipFrom: IpSource;
  /** The same as ValidateContext.transport. */
  readonly transport: TransportFacts | undefined;
}

export interface CollectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes when the body is compressed. For HEAD, the sender leaves it out. */
  readonly body: string | Uint8Array;
}

/** The collector for browsers: script, its sessions, uploads (contract 3, 4.7). Never rejects. */
export type Collect = (request: CollectRequest) => Promise<CollectAnswer>;

export interface EventSink {
  /** Takes one event. Returns at once and never throws. A full buffer drops and counts the event. */
  record(event: DecisionEvent): void;
}

export type QueryOutcome =
  | {
      readonly kind: 'rows';
      readonly contentType: string;
      readonly body: Uint8Array;
      /** Name of the format that the body is in. */
      readonly format?: string | undefined;
    }
  /** The statement gate refused it. `message` is for the caller. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The database refused it, with its own text, status and code. */
  | { readonly kind: 'database_error'; readonly status: number; readonly message: string }
  | { readonly kind: 'too_large' }
  /** The key became invalid while the statement waited or ran. */
  | { readonly kind: 'revoked' }
  | { readonly kind: 'unavailable'; readonly message: string };

/** The caller of a query: an organisation, and its key if it has one. */
export interface QueryCaller {
  readonly organisation: string;
  /** The credential of the caller. The query ends when it becomes invalid, and it counts for its key. */
  readonly authorization?: string | undefined;
}

/** Runs one read-only statement with access to one organisation only (contract 4.3). Never rejects. */
export type RunQuery = (
  query: QueryCaller & {
    readonly sql: string;
    /** The form of the answer. By default it is tab-separated without names. */
    readonly answerForm?: AnswerForm;
    /** Resolves when the caller has the rows or is gone. Until then the query keeps its slot. Never rejects. */
    readonly delivered?: Promise<unknown>;
    readonly signal?: AbortSignal;
  },
) => Promise<QueryOutcome>;

export interface Column {
  readonly name: string;
  /** ClickHouse type. */
  readonly type: string;
  readonly comment: string;
}

/**
 * Judges stored events of one organisation with one changed setting (replay/src/process/replay-change.ts). Takes up to
 * 20 seconds. Never rejects.
 */
export type Replay = (question: {
  readonly organisation: string;
  /** Unchanged from the page: a valid ReplayChange of replay/src/change/change.ts, or a value that is refused. */
  readonly change: unknown;
  /** How many hours back events are judged: 1 to 168, default 24. Unchanged from the page. */
  readonly hours?: unknown;
  /** The same as QueryCaller.authorization. */
  readonly authorization?: string | undefined;
  readonly signal: AbortSignal;
}) => Promise<ReplayOutcome>;

/** The readable columns of `events_distributed`, read live from the database (contract 4.4). */
export type ListColumns = () => Promise<readonly Column[]>;

interface KeyHolder {
  readonly organisation: string;
  /** Identifier of the key. It is unique among the organisation's analytics keys. */
  readonly key: string;
}

/** The holder of a bearer key. Undefined for an unknown, revoked or expired key. */
export type AuthenticateBearer = (authorization: string | undefined) => KeyHolder | undefined;
