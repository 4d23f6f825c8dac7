import type { Origin as OriginAddress } from '@guard/config/settings/values/values';
import type { FieldList, VisitorSocket } from '../message/message.ts';

/**
 * The lane of a request to an origin. `plain` is for requests without a body, `upload` is for requests with a body.
 * `retry` repeats a request without a body on a new connection, which cannot be stale.
 */
export type Lane = 'plain' | 'upload' | 'retry';

/** Methods of requests that may be sent twice (RFC 9110 section 9.2.2) and have no body to send again. */
export const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface OriginRequest {
  readonly method: string;
  /** The target in origin-form. It is written without a change. */
  readonly target: string;
  /**
   * The fields that the visitor sent, then the fields that the gateway adds: names and values in turn, written in this
   * order and spelling. The client itself adds framing and Connection. So the lists have no Connection and no
   * Transfer-Encoding. `visitorFields` has the visitor's Content-Length exactly when the body has a known length.
   */
  readonly visitorFields: FieldList;
  readonly gatewayFields: readonly string[];
  readonly body: RequestBody | undefined;
  /** The visitor's connection to the gateway. Undefined when other visitors could use the same connection. */
  readonly visitor?: VisitorSocket | undefined;
  /**
   * True when the request can authenticate its whole connection at the origin, as NTLM does. Then no other visitor may
   * use this connection (http1/).
   */
  readonly authenticatesConnection?: boolean | undefined;
}

/** The body of a request, which is read no faster than the origin reads it. */
export interface RequestBody {
  /**
   * The length in bytes, from Content-Length. Undefined when the length is unknown; then the body is sent in chunks.
   */
  readonly length: number | undefined;
  /** Starts the body: `sink` gets every part. Called once. */
  start(sink: BodySink): void;
  /** Called when the origin accepts no more bytes at present. */
  pause(): void;
  resume(): void;
  /** Stops the body for good. It can be called again after the end. */
  stop(): void;
}

export interface BodySink {
  onPart(part: Buffer): void;
  /** `trailers`: names and values in turn. */
  onPartsEnd(trailers: readonly string[]): void;
}

/**
 * Receives the answer to one request. No method is called before `send` has returned, or after `abort`. The last call
 * is onEnd or onError. Only onFlush can come after it. Field lists are names and values in turn, as the origin sent
 * them.
 */
export interface AnswerHandler {
  /** An interim answer (RFC 9110 section 15.2): 1xx, never 101. */
  onInformational(status: number, fields: readonly string[]): void;
  onHead(status: number, reason: string, fields: readonly string[]): void;
  /**
   * `part` may be kept without a copy until onFlush. `isLast` is true when the client knows that the body ends here.
   */
  onData(part: Buffer, isLast: boolean): void;
  /**
   * All bytes that came were passed on, so the handler sends what it has held back. Returns false when a part is still
   * in use. Then the memory of the part is not overwritten.
   */
  onFlush(): boolean;
  onEnd(trailers: readonly string[]): void;
  onError(error: OriginError): void;
}

/** Every way in which a request to an origin can fail. */
export interface OriginError {
  /**
   * - `connect`: no connection could be made. Nothing was sent, and no byte of the body was read.
   * - `closed`: the connection ended before the first byte of the answer. An idle connection that the origin closes
   * ends in this way.
   * - `truncated`: the connection ended in the middle of the answer.
   * - `timeout`: for too long the origin sent no byte or accepted no byte.
   * - `malformed`: the bytes are not an answer, or can be read in more than one way.
   * - `unsendable`: the written request could be read as something else than this one request.
   */
  readonly kind: 'connect' | 'closed' | 'truncated' | 'timeout' | 'malformed' | 'unsendable';
  readonly detail: string;
}

/** One request under way. After its end the methods do nothing. */
export interface OriginExchange {
  /** Cuts the connection. The handler is not called any more. */
  abort(): void;
  /** Stops reading from the origin. A few more parts may come. */
  pause(): void;
  resume(): void;
}

/** How many requests may be under way at the same time, and how many more may begin now. */
export interface Capacity {
  readonly total: number;
  readonly free: number;
}

export interface Origin {
  readonly address: OriginAddress;
  /** Sends a request. Undefined when the lane is full: then nothing was sent, and the handler is not called. */
  send(lane: Lane, request: OriginRequest, handler: AnswerHandler): OriginExchange | undefined;
  capacityOf(lane: Lane): Capacity;
}

/** An origin whose connections the caller can close. */
export interface OpenOrigin extends Origin {
  /** Closes idle connections. Requests under way can finish. */
  close(): Promise<void>;
  /** Cuts all connections. */
  destroy(): Promise<void>;
}

export interface Turns<T> {
  /** The next origin in turn. Origins that are known to be unreachable are left out. */
  readonly next: () => T;
  /** Reports how an attempt ended: see OriginHealth.report. */
  readonly report: (origin: T, wasReached: boolean) => void;
  readonly count: number;
}

/** The origins of one site. */
export interface Origins extends Turns<Origin> {
  /** The sum for all origins of the site. */
  capacityOf(lane: Lane): Capacity;
}
