import type { IncomingHttpHeaders } from 'node:http';
import type { Protocol } from '@guard/config/contract/event';
import type { ForwardedHeader } from '@guard/config/settings/schema';

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

/**
 * Names and values in turn that may be sent to an origin again and again. It never changes, so the
 * client that writes it keeps with it how it is written.
 */
export class FieldList {
  readonly fields: readonly string[];
  /** Undefined until it was written once. */
  written: WrittenFields | 'unsound' | undefined;

  constructor(fields: readonly string[]) {
    this.fields = fields;
  }
}

/** Fields as they stand in a header section of HTTP/1.1, each of them one, however they are read. */
export interface WrittenFields {
  readonly lines: string;
  /** What Content-Length says among them, in bytes; undefined without one. */
  readonly length: number | undefined;
}

/**
 * RFC 9110 section 10.1.1: the visitor sends the body only when the origin wants it. The gateway does not
 * forward any other expectation.
 */
export function asksForContinue(req: VisitorRequest, hasBody: boolean): boolean {
  const { expect } = req.headers;
  if (expect === undefined || !hasBody || isHttp10(req)) return false;
  return expect.toLowerCase() === '100-continue';
}

/** The same section: sends 100 (Continue) to a visitor who waits for it. */
export function inviteBody(req: VisitorRequest, res: VisitorResponse): void {
  if (req.headers.expect !== undefined && !isHttp10(req)) res.writeInterim(100, []);
}

/** The largest number that is sent on (RFC 9110 section 7.6.2 lets a recipient have one). */
const LARGEST = 255;

/**
 * How many proxies an OPTIONS may still pass, this one included (RFC 9110 section 7.6.2); undefined
 * without the field, where it is no number, and for methods that may ignore it.
 */
export function forwardsLeft({
  method,
  headers,
}: Pick<VisitorRequest, 'method' | 'headers'>): number | undefined {
  if (method !== 'OPTIONS') return undefined;
  const said = headers['max-forwards'];
  return typeof said === 'string' && /^\d+$/.test(said) ? Number(said) : undefined;
}

/** What the next recipient reads, where this one has `left` and passes the request on. */
export function nextForwards(left: number): string {
  return String(Math.min(left - 1, LARGEST));
}

/** The name under which the gateway enters itself in Via (RFC 9110 section 7.6.3). */
const PSEUDONYM = 'guard';

/** The Via field of a request that this gateway forwards: what the request had, and one entry of our own. */
export function nextVia({ httpVersion, headers }: VisitorRequest): string {
  const own = `${httpVersion} ${PSEUDONYM}`;
  return headers.via === undefined ? own : `${headers.via}, ${own}`;
}

/**
 * How many gateways of this name a request has passed already. A few in a row are layers. Many are an
 * origin that points back at its own gateway.
 */
export function passesBefore(via: string | undefined): number {
  if (via === undefined) return 0;
  let count = 0;
  for (const entry of via.split(',')) {
    if (entry.trim().split(' ', 2)[1] === PSEUDONYM) count++;
  }
  return count;
}

/**
 * Node makes a list of Set-Cookie, which is a response field, and one joined text of every other field. The
 * gateway's own readers make texts of all, whatever the type says.
 */
export function singleValues(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const list: unknown = headers['set-cookie'];
  // Safe by the sentence above; the common case shares the object of the request instead of copying it.
  const single = headers as Record<string, string>;
  return Array.isArray(list) ? { ...single, 'set-cookie': list.join(', ') } : single;
}
