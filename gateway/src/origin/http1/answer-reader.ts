import { CR, LF } from '../../base/characters.ts';
import {
  type AnswerFraming,
  FramingFields,
  framingOf,
  keepsConnection,
  readChunkSize,
  trailerFault,
} from './answer-framing.ts';
import type { AnswerSink } from './answer-sink.ts';
import { HTTP1_LIMITS } from './limits.ts';
import { LineBuffer, SectionLines, type StatusLine } from './section-lines.ts';

type State =
  /** No answer is expected. Bytes that come now are not part of an answer. */
  | 'idle'
  | 'status line'
  | 'fields'
  | 'sized body'
  | 'body until close'
  | 'chunk size'
  | 'chunk'
  | 'chunk end'
  | 'trailers'
  | 'stopped';

const NO_FIELDS: readonly string[] = [];

/**
 * Reads the answers of one connection (RFC 9112). Their bytes can be split anywhere. Reading is strict: bytes that two
 * readers would understand differently are more often an attack than a mistake.
 */
export class AnswerReader {
  readonly #sink: AnswerSink;
  readonly #maxHeaderBytes: number;
  readonly #line = new LineBuffer();
  readonly #section = new SectionLines();
  readonly #framing = new FramingFields();
  #state: State = 'idle';
  #status: StatusLine = { minor: 1, status: 0, reason: '' };
  #fields: string[] = [];
  #isHeadRequest = false;
  #hasBegun = false;
  #interimCount = 0;
  /** The number of bytes that the remaining lines of this section may have. */
  #lineBytesLeft = 0;
  #chunkExtensionBytesLeft = 0;
  /** Bytes of the body, or of the chunk, that are still to come. */
  #remainingBytes = 0;
  #isReusable = false;

  constructor(sink: AnswerSink, maxHeaderBytes: number) {
    this.#sink = sink;
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  /** Prepares for the next answer. `isHeadRequest` is true when the request was HEAD. */
  expect(isHeadRequest: boolean): void {
    this.#isHeadRequest = isHeadRequest;
    this.#hasBegun = false;
    this.#interimCount = 0;
    this.#chunkExtensionBytesLeft = HTTP1_LIMITS.maxChunkExtensionBytes;
    this.#beginHead();
  }

  /** Stops reading for good. */
  stop(): void {
    this.#state = 'stopped';
  }

  /** Whether at least one byte of the answer has come. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Reads `bytes` up to `end`. The caller may reuse the memory of `bytes` afterwards. */
  read(bytes: Buffer, end: number): void {
    this.#hasBegun = true;
    this.#section.take(bytes, end);
    let at = 0;
    while (at < end) {
      switch (this.#state) {
        case 'idle':
          this.#fail('bytes that no request asked for');
          return;
        case 'sized body':
        case 'body until close':
        case 'chunk':
          at = this.#readBody(bytes, at, end);
          break;
        case 'stopped':
          return;
        case 'status line':
        case 'fields':
        case 'chunk size':
        case 'chunk end':
        case 'trailers':
          at = this.#readLine(bytes, at, end);
      }
    }
  }

  /** The origin has closed its side. Then a body without a length and without chunks is complete. */
  finish(): void {
    if (this.#state === 'body until close') this.#complete(NO_FIELDS, false);
  }

  #beginHead(): void {
    this.#state = 'status line';
    this.#lineBytesLeft = this.#maxHeaderBytes;
    this.#framing.reset();
    this.#section.beginSection();
    this.#fields = [];
  }

  #readBody(bytes: Buffer, at: number, end: number): number {
    if (this.#state === 'body until close') {
      this.#sink.onBody(bytes, at, end, false);
      return end;
    }
    const to = Math.min(end, at + this.#remainingBytes);
    this.#remainingBytes -= to - at;
    const isChunk = this.#state === 'chunk';
    const isLast = this.#remainingBytes === 0 && !isChunk;
    this.#sink.onBody(bytes, at, to, isLast);
    if (isLast) this.#complete(NO_FIELDS, to < end);
    else if (this.#remainingBytes === 0 && this.#isReading()) this.#expectLine('chunk end', 2);
    return to;
  }

  /** Reads a line up to its end, or the part of the line that has come. */
  #readLine(bytes: Buffer, at: number, end: number): number {
    let lf = at;
    while (lf < end && bytes[lf] !== LF) lf++;
    const lineEnd = Math.min(lf + 1, end);
    const length = this.#line.length + lineEnd - at;
    if (length > this.#lineBytesLeft) {
      this.#fail(`${this.#state}: too long`);
      return end;
    }
    if (lf === end) {
      this.#line.append(bytes, at, end);
      return end;
    }
    this.#lineBytesLeft -= length;
    if (this.#line.length === 0) {
      this.#checkLineEnd(bytes, at, lf, lineEnd < end);
    } else {
      this.#line.append(bytes, at, lineEnd);
      const line = this.#line.take();
      this.#checkLineEnd(line, 0, line.length - 1, lineEnd < end);
    }
    return lineEnd;
  }

  /** `lf` is the index of the line's LF. `hasMore` is true when bytes after the line have come already. */
  #checkLineEnd(bytes: Buffer, from: number, lf: number, hasMore: boolean): void {
    if (lf > from && bytes[lf - 1] === CR) this.#takeLine(bytes, from, lf - 1, hasMore);
    else this.#fail('line that does not end in CR LF');
  }

  #takeLine(bytes: Buffer, from: number, to: number, hasMore: boolean): void {
    const isEmpty = to === from;
    switch (this.#state) {
      case 'status line':
        this.#takeStatusLine(bytes, from, to);
        break;
      case 'fields':
        if (isEmpty) this.#takeHead(hasMore);
        else this.#takeField(bytes, from, to);
        break;
      case 'trailers':
        if (isEmpty) this.#complete(this.#fields, hasMore);
        else this.#takeField(bytes, from, to);
        break;
      case 'chunk size':
        this.#takeChunkSize(bytes, from, to);
        break;
      case 'chunk end':
        if (isEmpty) this.#expectLine('chunk size', HTTP1_LIMITS.maxChunkLineBytes);
        else this.#fail('chunk longer than its chunk size says');
        break;
      // In these states the reader reads no lines.
      case 'idle':
      case 'sized body':
      case 'body until close':
      case 'chunk':
      case 'stopped':
        break;
    }
  }

  #takeStatusLine(bytes: Buffer, from: number, to: number): void {
    const status = this.#section.readStatus(bytes, from, to);
    if (status === undefined) {
      this.#fail('no status line of HTTP/1.1');
      return;
    }
    this.#status = status;
    this.#state = 'fields';
  }

  #takeField(bytes: Buffer, from: number, to: number): void {
    const fields = this.#fields;
    const fault = this.#section.readField(bytes, from, to, fields) ?? this.#noteLastField(fields);
    if (fault !== undefined) this.#fail(fault);
  }

  #noteLastField(fields: string[]): string | undefined {
    if (fields.length > 2 * HTTP1_LIMITS.maxFields) return 'too many fields';
    return this.#state === 'fields' ? this.#framing.note(fields) : trailerFault(fields);
  }

  #takeHead(hasMore: boolean): void {
    const { status, reason } = this.#status;
    const fields = this.#fields;
    if (status < 200) {
      this.#takeInterim(status, fields);
      return;
    }
    const framing = framingOf(this.#status, this.#framing, this.#isHeadRequest);
    if (typeof framing === 'string') {
      this.#fail(framing);
      return;
    }
    this.#isReusable = keepsConnection(this.#status, this.#framing, this.#isHeadRequest);
    this.#sink.onHead(status, reason, fields);
    if (this.#isReading()) this.#beginBody(framing, hasMore);
  }

  #takeInterim(status: number, fields: readonly string[]): void {
    this.#interimCount++;
    if (status === 101) this.#fail('101 that no request asked for');
    else if (this.#interimCount > HTTP1_LIMITS.maxInterim) this.#fail('too many interim answers');
    else {
      this.#beginHead();
      this.#sink.onInformational(status, fields);
    }
  }

  #beginBody(framing: AnswerFraming, hasMore: boolean): void {
    switch (framing.kind) {
      case 'none':
        this.#complete(NO_FIELDS, hasMore);
        break;
      case 'sized':
        this.#state = 'sized body';
        this.#remainingBytes = framing.length;
        break;
      case 'until close':
        this.#state = 'body until close';
        this.#isReusable = false;
        break;
      case 'chunked':
        this.#expectLine('chunk size', HTTP1_LIMITS.maxChunkLineBytes);
        break;
    }
  }

  #takeChunkSize(bytes: Buffer, from: number, to: number): void {
    const parsed = readChunkSize(bytes, from, to);
    this.#chunkExtensionBytesLeft -= parsed?.extensionBytes ?? 0;
    if (parsed === undefined) this.#fail('chunk without a size');
    else if (this.#chunkExtensionBytesLeft < 0) this.#fail('chunk extensions too large');
    else if (parsed.size === 0) {
      this.#section.beginSection();
      this.#fields = [];
      this.#expectLine('trailers', this.#maxHeaderBytes);
    } else {
      this.#state = 'chunk';
      this.#remainingBytes = parsed.size;
    }
  }

  #expectLine(state: State, maxBytes: number): void {
    this.#state = state;
    this.#lineBytesLeft = maxBytes;
  }

  /** `hasSurplus` is true when bytes came after the end of the answer. Then the connection is not used again. */
  #complete(trailers: readonly string[], hasSurplus: boolean): void {
    if (!this.#isReading()) return;
    this.#state = hasSurplus ? 'stopped' : 'idle';
    this.#sink.onComplete(trailers, this.#isReusable && !hasSurplus, this.#framing.keepsForS);
  }

  #fail(fault: string): void {
    this.#state = 'stopped';
    this.#sink.onFault(fault);
  }

  /** Whether reading goes on. The sink may have stopped it during a call. */
  #isReading(): boolean {
    return this.#state !== 'stopped';
  }
}
