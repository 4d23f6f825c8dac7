import type { IncomingHttpHeaders } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { SectionNotes, VisitorRequest, VisitorSocket } from '../message/message.ts';
import type { StreamFields } from './stream-fields.ts';

/** A request of HTTP/2 in the form that every stage of the gateway reads. */
export class StreamRequest implements VisitorRequest {
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  readonly httpVersionMinor = 0;
  readonly socket: VisitorSocket;
  readonly fields: StreamFields;
  rawTrailers: readonly string[] = [];
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream, fields: StreamFields) {
    this.#stream = stream;
    this.fields = fields;
    this.socket = new StreamSocket(stream);
    if (this.hasBody) {
      stream.once('trailers', (_joined, _flags, trailers: readonly string[]) => {
        this.rawTrailers = trailers;
      });
    }
  }

  get method(): string {
    return this.fields.method;
  }

  get url(): string {
    return this.fields.path;
  }

  get headers(): IncomingHttpHeaders {
    return this.fields.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.fields.rawHeaders;
  }

  get notes(): SectionNotes | undefined {
    return this.hasBody ? undefined : this.fields.notes;
  }

  get hasBody(): boolean {
    return !this.#stream.endAfterHeaders;
  }

  get complete(): boolean {
    return this.#stream.endAfterHeaders || this.#stream.readableEnded;
  }

  get readableEnded(): boolean {
    return this.#stream.readableEnded;
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  on(event: 'data', listener: (part: Buffer) => void): void {
    this.#stream.on(event, listener);
  }

  once(event: 'end' | 'close', listener: () => void): void {
    this.#stream.once(event, listener);
  }

  off(event: 'data' | 'end', listener: (part: Buffer) => void): void {
    this.#stream.off(event, listener);
  }
}

/**
 * Resets a stream whose answer is incomplete. `close` would end the answer before the reset (END_STREAM). Chromium
 * would then keep the first part of a file as the whole file, although the answer had a Content-Length.
 */
export function cutStream(stream: ServerHttp2Stream): void {
  stream.destroy(new Error('The answer is cut off.'));
}

/** Presents one stream as a connection. Its end does not affect the other streams. */
class StreamSocket implements VisitorSocket {
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  get destroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  /** RFC 9113 section 8.1: a reset with NO_ERROR after a complete answer stops only the upload. */
  destroy(): void {
    if (this.#stream.writableEnded) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    else cutStream(this.#stream);
  }

  cork(): void {
    this.#stream.cork();
  }

  uncork(): void {
    this.#stream.uncork();
  }

  setDefaultEncoding(): void {
    // Does nothing: only bytes are written to a stream, so the encoding does not matter.
  }

  once(event: 'close', listener: () => void): void {
    this.#stream.once(event, listener);
  }
}
