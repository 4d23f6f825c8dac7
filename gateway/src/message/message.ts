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
  /** Where what is worked out from the header section alone is kept: it has come before, and comes again. */
  readonly notes?: SectionNotes | undefined;
  /** The same of the trailer section, when 'end' is emitted. */
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

/** What a header section without a body leads to, whatever else the request is. */
export interface SectionNotes {
  /** The visitor's fields as the origin got them last. */
  sent?: { readonly fields: FieldList; readonly terms: FieldTerms };
}

/** What decides, beside a header section, which of its fields go to the origin. */
export interface FieldTerms {
  /** The peer is a trusted proxy. */
  readonly trusted: boolean;
  readonly believed: BelievedFields;
  readonly keepsMethodOverride: boolean;
}

/** Which forwarded fields of the peer are believed: `x-forwarded-for` with X-Forwarded-Proto and -Host. */
export type BelievedFields = 'both' | ForwardedHeader | 'neither';

/** Where an answer goes. A method that has nothing to write to any more does nothing. */
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

/** What a request came on, and ends with: a connection, or one stream of an HTTP/2 connection. */
export interface VisitorSocket {
  readonly destroyed: boolean;
  /** What is written from here to `uncork` leaves at once, and then. */
  cork(): void;
  uncork(): void;
  /** Of texts that are written without naming one. */
  setDefaultEncoding(encoding: 'latin1'): unknown;
  /** Breaks off, so that an answer under way cannot be taken for a whole one. */
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
