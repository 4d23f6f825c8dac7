import type { Origin as OriginAddress } from '@guard/config/settings/values/values';
import type { FieldList } from '../message/message.ts';
import type { Turns } from './origins.ts';

/**
 * The way of one request to an origin. `plain` has no body; `upload` has; `retry` repeats a plain one
 * on a connection of its own, which cannot be a stale one.
 */
export type Lane = 'plain' | 'upload' | 'retry';

/** A request as it is to be written. */
export interface OriginRequest {
  readonly method: string;
  /** Origin-form; written as it stands. */
  readonly target: string;
  /**
   * The fields that the visitor sent, then what the gateway adds: names and values in turn, written in
   * this order and spelling. The client frames and keeps the connection itself: no Connection and no
   * Transfer-Encoding is among them, and Content-Length, of the visitor's, exactly where the body has a
   * known length.
   */
  readonly sent: FieldList;
  readonly added: readonly string[];
  readonly body: RequestBody | undefined;
}

/** The body of a request, read no faster than the origin takes it. */
export interface RequestBody {
  /** Bytes, as Content-Length announces them; undefined when the end will show, and chunks carry it. */
  readonly length: number | undefined;
  /** From now on `sink` gets every part. Called once. */
  start(sink: BodySink): void;
  /** The origin takes no more for the moment. */
  pause(): void;
  resume(): void;
  /** Nobody reads any further. Harmless when it is all over. */
  stop(): void;
}

export interface BodySink {
  onPart(part: Buffer): void;
  /** `trailers`: names and values in turn. */
  onPartsEnd(trailers: readonly string[]): void;
}

/**
 * Takes the answer to one request. Nothing is called before `send` has returned, or after `abort`; the
 * last call but for an onFlush is onEnd or onError. Field lists are names and values in turn, as the origin sent them.
 */
export interface AnswerHandler {
  /** An interim answer (RFC 9110 section 15.2): 1xx, never 101. */
  onInformational(status: number, fields: readonly string[]): void;
  onHead(status: number, reason: string, fields: readonly string[]): void;
  /**
   * `part` may be held without a copy until onFlush. `last` says that the body ends here, where that is
   * known already.
   */
  onData(part: Buffer, last: boolean): void;
  /**
   * All that has come was handed over, and what is held back goes out now. False says that a part is
   * still in use: its bytes do not change while a caller holds them.
   */
  onFlush(): boolean;
  onEnd(trailers: readonly string[]): void;
  onError(error: OriginError): void;
}

/** Every way a request at an origin can fail. */
export interface OriginError {
  /**
   * - `connect`: there is no connection; nothing was sent, and nothing taken of the body.
   * - `closed`: the connection ended before a byte of the answer, as idle ones do.
   * - `truncated`: it ended in the middle of the answer.
   * - `timeout`: the origin stood still for too long.
   * - `malformed`: what came is no answer that can be read in one way only.
   * - `unsendable`: the request cannot be written as one request.
   */
  readonly kind: 'connect' | 'closed' | 'truncated' | 'timeout' | 'malformed' | 'unsendable';
  readonly detail: string;
}

/** One request under way. Every method does nothing once it is over. */
export interface OriginExchange {
  /** Cuts the connection. The handler hears nothing more. */
  abort(): void;
  /** Holds the origin back; a little may still come. */
  pause(): void;
  resume(): void;
}

/** One origin server. */
export interface Origin {
  readonly address: OriginAddress;
  /** Undefined when the lane is full: then nothing was sent and the handler is not called. */
  send(lane: Lane, request: OriginRequest, handler: AnswerHandler): OriginExchange | undefined;
}

/** An origin with the connections that are kept to it. */
export interface OpenOrigin extends Origin {
  /** Lets requests under way finish. */
  close(): Promise<void>;
  /** Cuts them. */
  destroy(): Promise<void>;
}

/** The origins of one site. */
export type Origins = Turns<Origin>;
