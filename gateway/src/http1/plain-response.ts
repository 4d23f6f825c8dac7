import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { interimHead } from './node-response.ts';
import type { VisitorResponse } from '../message/message.ts';

export interface AnsweredConnection {
  /** Whether the connection takes another request after this answer. */
  readonly keepsAlive: () => boolean;
  /** Called when all of the answer was written. */
  onAnswered(keptAlive: boolean): void;
}

/** A body up to this size is copied after the header section: a copy costs less than a second write. */
const MAX_COPIED_BYTES = 16 * 1024;

/**
 * The answer to a plain request. It is framed by the Content-Length among its fields, or else in chunks (RFC 9112
 * section 6). Names and values are written as they are. Those of the origin were read strictly
 * (origin/http1/section-lines.ts), and those of the validator were checked (judge/request-plan.ts).
 */
export class PlainResponse implements VisitorResponse {
  headersSent = false;
  readonly #socket: Socket;
  readonly #connection: AnsweredConnection;
  readonly #isForHead: boolean;
  readonly #keepAliveField: string;
  /** The header section, until it is written. */
  #head = '';
  #keepsAlive = true;
  #isBodiless = false;
  #isChunked = false;
  #trailers = '';
  #isEnded = false;

  constructor(
    socket: Socket,
    connection: AnsweredConnection,
    isForHead: boolean,
    keepAliveField: string,
  ) {
    this.#socket = socket;
    this.#connection = connection;
    this.#isForHead = isForHead;
    this.#keepAliveField = keepAliveField;
  }

  get writableLength(): number {
    return this.#socket.writableLength + this.#head.length;
  }

  writeHead(status: number, reasonOrFields: string | string[], fieldsAfterReason?: string[]): void {
    if (this.headersSent) return;
    this.headersSent = true;
    const isReason = typeof reasonOrFields === 'string';
    const reason = isReason ? reasonOrFields : (STATUS_CODES[status] ?? 'unknown');
    const fields = isReason ? (fieldsAfterReason ?? []) : reasonOrFields;
    this.#isBodiless = this.#isForHead || status === 204 || status === 304;
    this.#keepsAlive = this.#connection.keepsAlive();
    this.#head = `HTTP/1.1 ${status} ${reason}\r\n${this.#fieldLines(fields)}\r\n`;
  }

  #fieldLines(fields: readonly string[]): string {
    let lines = '';
    let hasDate = false;
    let hasLength = false;
    for (let i = 0; i + 1 < fields.length; i += 2) {
      const name = fields[i] ?? '';
      // The length is compared first, so that few names have to be lower-cased.
      if (name.length === 4) hasDate ||= name.toLowerCase() === 'date';
      else if (name.length === 14) hasLength ||= name.toLowerCase() === 'content-length';
      else if (name.length === 10 && name.toLowerCase() === 'connection') {
        // `close` (serveLast) is the only value that reaches this code.
        this.#keepsAlive = false;
        continue;
      }
      lines += `${name}: ${fields[i + 1] ?? ''}\r\n`;
    }
    if (!hasDate) lines += `Date: ${httpDate()}\r\n`;
    this.#isChunked = !hasLength && !this.#isBodiless;
    if (this.#isChunked) lines += 'Transfer-Encoding: chunked\r\n';
    return lines + (this.#keepsAlive ? this.#keepAliveField : 'Connection: close\r\n');
  }

  flushHeaders(): void {
    if (this.#head !== '' && !this.#isGone()) this.#socket.write(this.#takeHead(), 'latin1');
  }

  write(part: Buffer): boolean {
    if (this.#isGone() || this.#isBodiless || part.length === 0) return true;
    const prefix = this.#takeHead() + this.#chunkStart(part);
    if (prefix !== '') this.#socket.write(prefix, 'latin1');
    const goesOn = this.#socket.write(part);
    return this.#isChunked ? this.#socket.write('\r\n', 'latin1') : goesOn;
  }

  end(part?: Buffer): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#isGone()) return;
    this.#writeLast(this.#isBodiless ? undefined : part);
    this.#connection.onAnswered(this.#keepsAlive);
  }

  #writeLast(part: Buffer | undefined): void {
    const prefix = this.#takeHead() + (part === undefined ? '' : this.#chunkStart(part));
    const suffix = this.#isChunked
      ? `${part === undefined || part.length === 0 ? '' : '\r\n'}0\r\n${this.#trailers}\r\n`
      : '';
    const length = part?.length ?? 0;
    if (length > MAX_COPIED_BYTES) {
      this.#socket.cork();
      if (prefix !== '') this.#socket.write(prefix, 'latin1');
      if (part !== undefined) this.#socket.write(part);
      if (suffix !== '') this.#socket.write(suffix, 'latin1');
      this.#socket.uncork();
      return;
    }
    const total = prefix.length + length + suffix.length;
    if (total === 0) return;
    const bytes = Buffer.allocUnsafe(total);
    bytes.write(prefix, 0, 'latin1');
    if (part !== undefined) part.copy(bytes, prefix.length);
    if (suffix !== '') bytes.write(suffix, prefix.length + length, 'latin1');
    this.#socket.write(bytes);
  }

  addTrailers(trailers: readonly [string, string][]): void {
    if (!this.#isChunked) return;
    for (const [name, value] of trailers) this.#trailers += `${name}: ${value}\r\n`;
  }

  writeInterim(status: number, fields: readonly string[]): void {
    if (this.headersSent || this.#isGone()) return;
    this.#socket.write(interimHead(status, fields), 'latin1');
  }

  once(event: 'drain', listener: () => void): void {
    this.#socket.once(event, listener);
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }

  /** The line before a chunk. An empty part gets none, because an empty chunk would be the last one. */
  #chunkStart(part: Buffer): string {
    return this.#isChunked && part.length > 0 ? `${part.length.toString(16)}\r\n` : '';
  }

  #isGone(): boolean {
    return this.#socket.destroyed;
  }
}

let dateSecond = 0;
let dateText = '';

/** The present time in the form of the Date field (RFC 9110 section 5.6.7). The text is made once a second. */
function httpDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== dateSecond) {
    dateSecond = now;
    dateText = new Date(now * 1000).toUTCString();
  }
  return dateText;
}
