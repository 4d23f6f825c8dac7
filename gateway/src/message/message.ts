import type { IncomingHttpHeaders } from 'node:http';
import type { Protocol } from '@guard/config/contract/event';
import type { ForwardedHeader } from '@guard/config/settings/schema';
import type { FieldList } from './field-list.ts';

/**
 * A request and its answer as every stage of the gateway sees them. Node's HTTP/1.1 messages are
 * already like this; http2/ makes a stream of HTTP/2 look the same.
 */
export interface VisitorRequest {
  readonly method?: string | undefined;
  /** The request target as sent. */
  readonly url?: string | undefined;
  /** Names in lower case; a field sent twice is one joined value. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Names and values in turn, as sent. */
  readonly rawHeaders: readonly string[];
  /** Keeps what follows from the header section alone, where the same section came before. */
  readonly notes?: SectionNotes | undefined;
  /** The same for the trailer section. It is complete when 'end' is emitted. */
  readonly rawTrailers: readonly string[];
  readonly httpVersion: string;
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
  /** The whole message has come, whether or not it was read. */
  readonly complete: boolean;
  readonly readableEnded: boolean;
  readonly socket: VisitorSocket;
  pause(): unknown;
  resume(): unknown;
  on(event: 'data', listener: (part: Buffer) => void): unknown;
  once(event: 'end' | 'close', listener: () => void): unknown;
  off(event: 'data' | 'end', listener: (part: Buffer) => void): unknown;
}

/** What follows from a header section alone, for a request without a body. */
export interface SectionNotes {
  /** The visitor's fields as the origin got them last. */
  sent?: { readonly fields: FieldList; readonly terms: FieldTerms };
}

/** What else decides which fields of a header section go to the origin. */
export interface FieldTerms {
  /** The peer is a trusted proxy. */
  readonly trusted: boolean;
  readonly believed: BelievedFields;
  readonly keepsMethodOverride: boolean;
}

/** Which forwarded fields of the peer are believed: `x-forwarded-for` with X-Forwarded-Proto and -Host. */
export type BelievedFields = 'both' | ForwardedHeader | 'neither';

/** The answer to one request. When the visitor has gone, every method does nothing. */
export interface VisitorResponse {
  readonly headersSent: boolean;
  /** Bytes that were written here and have not left this process. */
  readonly writableLength: number;
  writeHead(status: number, fields: string[]): unknown;
  writeHead(status: number, reason: string, fields: string[]): unknown;
  flushHeaders(): void;
  /** False asks to wait for 'drain'. */
  write(part: Buffer): boolean;
  end(part?: Buffer): unknown;
  addTrailers(trailers: readonly [string, string][]): void;
  /** An interim answer (RFC 9110 section 15.2), before the final one: 1xx, never 101. */
  writeInterim(status: number, fields: readonly string[]): void;
  once(event: 'drain', listener: () => void): unknown;
}

/** The connection of a request, or its stream on an HTTP/2 connection. The request ends with it. */
export interface VisitorSocket {
  readonly destroyed: boolean;
  /** Holds back what is written until `uncork`, which sends it in one piece. */
  cork(): void;
  uncork(): void;
  /** Sets the encoding of texts that are written without one. */
  setDefaultEncoding(encoding: 'latin1'): unknown;
  /** Cuts the connection. Then the visitor does not take a part of an answer for all of it. */
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

export function protocolOf(req: VisitorRequest): Protocol {
  if (req.httpVersionMajor === 2) return 'HTTP/2.0';
  return isHttp10(req) ? 'HTTP/1.0' : 'HTTP/1.1';
}

/** HTTP/1.0 has no interim answers, no chunks and no trailers. */
export function isHttp10({ httpVersionMajor, httpVersionMinor }: VisitorRequest): boolean {
  return httpVersionMajor === 1 && httpVersionMinor === 0;
}
