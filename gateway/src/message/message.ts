import type { IncomingHttpHeaders } from 'node:http';
import type { Protocol } from '@guard/config/contract/event';
import type { ForwardedHeader } from '@guard/config/settings/schema';

/**
 * A request in the form that every stage of the gateway reads. Node's HTTP/1.1 messages already have this form. http2/
 * gives this form to a stream of HTTP/2.
 */
export interface VisitorRequest {
  readonly method?: string | undefined;
  /** The request target as sent. */
  readonly url?: string | undefined;
  /** The header fields, with names in lower case. The values of a field that was sent twice are joined. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Names and values in turn, as sent. */
  readonly rawHeaders: readonly string[];
  /** Results that depend only on the header section. They are kept when the same section comes again. */
  readonly notes?: SectionNotes | undefined;
  /** The trailer section: names and values in turn, as sent. It is complete when 'end' is emitted. */
  readonly rawTrailers: readonly string[];
  readonly httpVersion: string;
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
  /** Whether the whole message has come. Its body may still be unread. */
  readonly complete: boolean;
  readonly readableEnded: boolean;
  readonly socket: VisitorSocket;
  pause(): unknown;
  resume(): unknown;
  on(event: 'data', listener: (part: Buffer) => void): unknown;
  once(event: 'end' | 'close', listener: () => void): unknown;
  off(event: 'data' | 'end', listener: (part: Buffer) => void): unknown;
}

/** Results that depend only on the header section of a request without a body. */
export interface SectionNotes {
  /** The visitor's fields in the form for the origin, and the terms under which they can be used. */
  originFields?: { readonly fields: FieldList; readonly terms: FieldTerms };
}

/** The terms that decide, together with the header section, which of its fields go to the origin. */
export interface FieldTerms {
  /** Whether the peer is a trusted proxy. */
  readonly trusted: boolean;
  readonly believedFields: BelievedFields;
  readonly keepsMethodOverride: boolean;
}

/** Which forwarded fields of the peer are believed. `x-forwarded-for` includes X-Forwarded-Proto and -Host. */
export type BelievedFields = 'both' | ForwardedHeader | 'neither';

/** The answer to one request. When the visitor has gone, every method does nothing. */
export interface VisitorResponse {
  readonly headersSent: boolean;
  /** Bytes that were written and are still in this process. */
  readonly writableLength: number;
  writeHead(status: number, fields: string[]): unknown;
  writeHead(status: number, reason: string, fields: string[]): unknown;
  flushHeaders(): void;
  /** Writes a part of the body. False when the caller has to wait for 'drain'. */
  write(part: Buffer): boolean;
  end(part?: Buffer): unknown;
  addTrailers(trailers: readonly [string, string][]): void;
  /** An interim answer (RFC 9110 section 15.2), before the final one: 1xx, never 101. */
  writeInterim(status: number, fields: readonly string[]): void;
  once(event: 'drain', listener: () => void): unknown;
}

/** The connection of a request, or its stream on an HTTP/2 connection. When it ends, the request ends. */
export interface VisitorSocket {
  readonly destroyed: boolean;
  /** Holds back written bytes until `uncork`, which sends them in one piece. */
  cork(): void;
  uncork(): void;
  /** Sets the encoding of texts that are written without an encoding. */
  setDefaultEncoding(encoding: 'latin1'): unknown;
  /** Cuts the connection. So the visitor does not mistake a part of an answer for the whole answer. */
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
 * A list of fields that can be sent many times: names and values in turn. The list never changes, so its written form
 * can be kept.
 */
export class FieldList {
  readonly values: readonly string[];
  /** The written form. Undefined until the fields are written for the first time. */
  writtenFields: WrittenFields | 'unsound' | undefined;

  constructor(fields: readonly string[]) {
    this.values = fields;
  }
}

/**
 * Fields as the text of an HTTP/1.1 header section. The text was checked, so that every reader finds the same fields in
 * it.
 */
export interface WrittenFields {
  readonly lines: string;
  /** The value of the field Content-Length, in bytes. Undefined when there is no such field. */
  readonly length: number | undefined;
}

/**
 * Whether the visitor sends the body only when the origin asks for it (RFC 9110 section 10.1.1). The gateway forwards
 * no other expectation.
 */
export function asksForContinue(req: VisitorRequest, hasBody: boolean): boolean {
  const { expect } = req.headers;
  if (expect === undefined || !hasBody || isHttp10(req)) return false;
  return expect.toLowerCase() === '100-continue';
}

/** Sends 100 (Continue) to a visitor who waits for it (RFC 9110 section 10.1.1). */
export function inviteBody(req: VisitorRequest, res: VisitorResponse): void {
  if (req.headers.expect !== undefined && !isHttp10(req)) res.writeInterim(100, []);
}

/** The largest Max-Forwards that is sent (RFC 9110 section 7.6.2 allows a limit). */
const MAX_FORWARDS = 255;

/**
 * How many proxies an OPTIONS may still pass, this one included (RFC 9110 section 7.6.2). Undefined when the field is
 * missing or not a number, and for other methods.
 */
export function forwardsLeft({
  method,
  headers,
}: Pick<VisitorRequest, 'method' | 'headers'>): number | undefined {
  if (method !== 'OPTIONS') return undefined;
  const value = headers['max-forwards'];
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined;
}

/** The Max-Forwards for the next recipient, when this proxy got `remaining`. */
export function nextForwards(remaining: number): string {
  return String(Math.min(remaining - 1, MAX_FORWARDS));
}

/** The name of the gateway in Via (RFC 9110 section 7.6.3). */
const VIA_NAME = 'guard';

export function nextVia({ httpVersion, headers }: VisitorRequest): string {
  const ownEntry = `${httpVersion} ${VIA_NAME}`;
  return headers.via === undefined ? ownEntry : `${headers.via}, ${ownEntry}`;
}

/**
 * How many gateways of this name a request has passed. A set-up can have a few gateways in a row. Many mean that the
 * origin of a gateway is the gateway itself.
 */
export function passesBefore(via: string | undefined): number {
  if (via === undefined) return 0;
  let count = 0;
  for (const entry of via.split(',')) {
    if (entry.trim().split(' ', 2)[1] === VIA_NAME) count++;
  }
  return count;
}

/**
 * The headers with one text for each field. Node makes a list only for Set-Cookie, which requests should not have.
 * The gateway's own readers make no lists.
 */
export function singleValues(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const list: unknown = headers['set-cookie'];
  // The cast is safe: only Set-Cookie can be a list. Usually the object of the request is returned without a copy.
  const single = headers as Record<string, string>;
  return Array.isArray(list) ? { ...single, 'set-cookie': list.join(', ') } : single;
}
