/** The seam between the gateway, which tells of requests, and the code that traces them. */

/** A request as its spans describe it. What only its event holds (address, agent, query) is not in here. */
export interface TracedRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly scheme: 'http' | 'https';
  /** Host header as sent. */
  readonly host: string;
  /** `1.0`, `1.1` or `2.0`. */
  readonly httpVersion: string;
  readonly site: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** It came from a trusted proxy, whose trace it may be part of. */
  readonly trusted: boolean;
}

/** Begins the trace of a request. Nothing here throws. */
export type Tracing = (request: TracedRequest) => RequestTrace;

/** The span of a request. Both in lower-case hex digits, as W3C Trace Context writes them. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** One request, told of as it goes on. */
export interface RequestTrace {
  /** Undefined or absent where the SDK gives none. */
  readonly ids?: TraceIds | undefined;
  /** It goes on to the origin, or (`served`) the answer is the gateway's own. */
  decided(decision: string, requestId: string | undefined): void;
  /** It is sent to an origin, for the `attempt`th time, counted from 1. */
  sent(
    origin: { readonly host: string; readonly port: number | undefined },
    attempt: number,
  ): OriginTrace;
  /** The last call. No status: the visitor has gone, or a WebSocket has ended. */
  ended(status: number | undefined): void;
}

/** One request at an origin. */
export interface OriginTrace {
  /** Names and values in turn: the trace context for the origin. */
  readonly fields: readonly string[];
  /** Names, in lower case, of fields that only `fields` may set. */
  readonly replaced: ReadonlySet<string>;
  answered(status: number): void;
  /** The last call. `error` names its kind; undefined where all went well. */
  ended(error: string | undefined): void;
}
