/** A request as its spans describe it. Address, agent and query are only in its event. */
export interface TracedRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly scheme: 'http' | 'https';
  /** Host header as sent. */
  readonly host: string;
  /** `1.0`, `1.1` or `2.0`. Undefined when another proxy describes the request without its version. */
  readonly httpVersion: string | undefined;
  readonly site: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** A trusted proxy sent or described the request, so the request may continue the trace of the proxy. */
  readonly trusted: boolean;
}

/** Starts the trace of a request. The functions here never throw. */
export type Tracing = (request: TracedRequest) => RequestTrace;

/** The span of a request. Both in lower-case hex digits, as W3C Trace Context writes them. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** The gateway calls it while the request proceeds. */
export interface RequestTrace {
  /** Undefined when the SDK provides none. */
  readonly ids?: TraceIds | undefined;
  /** The request is forwarded to the origin, or (`served`) the gateway itself answers. */
  decided(decision: string, requestId: string | undefined): void;
  /** The request is sent to an origin. `attempt` counts from 1. */
  sent(
    origin: { readonly host: string; readonly port: number | undefined },
    attempt: number,
  ): OriginTrace;
  /**
   * The last call. `status` is undefined when the visitor has disconnected, a WebSocket has ended, or another proxy
   * forwards the request.
   */
  ended(status: number | undefined): void;
}

export interface OriginTrace {
  /** Names and values in turn: the trace context for the origin. */
  readonly fields: readonly string[];
  /** Names, in lower case, of fields that only `fields` may set. */
  readonly replaced: ReadonlySet<string>;
  answered(status: number): void;
  /** The last call. `error` names the kind of error. */
  ended(error: string | undefined): void;
}
