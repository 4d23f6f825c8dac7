/** The facts about a request that its spans contain. Its address, User-Agent and query are only in its event. */
export interface TracedRequest {
  readonly method: string;
  /** The path as sent, without the query. */
  readonly path: string;
  readonly scheme: 'http' | 'https';
  /** Host header as sent. */
  readonly host: string;
  /** `1.0`, `1.1` or `2.0`. Undefined when another proxy describes the request without its version. */
  readonly httpVersion: string | undefined;
  readonly site: string;
  /** The header fields. Their names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** True when a trusted proxy sent or described the request. Then the request can continue the trace of the proxy. */
  readonly trusted: boolean;
}

/** Starts the trace of a request. The functions here never throw. */
export type Tracing = (request: TracedRequest) => RequestTrace;

/** The ids of the span of a request and of its trace, in lower-case hex digits as in W3C Trace Context. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** The gateway calls these functions while it handles the request. */
export interface RequestTrace {
  /** The ids of the request's span. Undefined when the SDK provides none. */
  readonly ids?: TraceIds | undefined;
  /** The request is forwarded to the origin, or (`served`) the gateway itself answers. */
  decided(decision: string, requestId: string | undefined): void;
  /** The request is sent to an origin. `attempt` counts from 1. */
  sent(
    origin: { readonly host: string; readonly port: number | undefined },
    attempt: number,
  ): OriginTrace;
  /**
   * The last call for a request. `status` is undefined when the visitor has disconnected, a WebSocket has ended, or
   * another proxy forwards the request.
   */
  ended(status: number | undefined): void;
}

export interface OriginTrace {
  /** The header fields with the trace context for the origin: names and values in turn. */
  readonly fields: readonly string[];
  /**
   * The names of fields that come only from `fields`, in lower case. The visitor's fields with these names are removed.
   */
  readonly replaced: ReadonlySet<string>;
  answered(status: number): void;
  /** The last call for an attempt. `error` is the kind of the error. */
  ended(error: string | undefined): void;
}
