import type { IncomingHttpHeaders } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { VisitorRequest, VisitorSocket } from '../message/message.ts';
import { readFields, type StreamFields } from './fields.ts';

/** A request of HTTP/2 in the form that every stage of the gateway takes. */
export class StreamRequest implements VisitorRequest {
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  readonly httpVersionMinor = 0;
  readonly socket: VisitorSocket;
  readonly fields: StreamFields;
  rawTrailers: readonly string[] = [];
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream, raw: readonly string[]) {
    this.#stream = stream;
    this.fields = readFields(raw);
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

/** One stream in the place of a connection: it ends alone, and the others go on. */
class StreamSocket implements VisitorSocket {
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  get destroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  /** RFC 9113 section 8.1: an answer that is whole stays whole, and only the upload is stopped. */
  destroy(): void {
    const answered = this.#stream.writableEnded;
    this.#stream.close(answered ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_INTERNAL_ERROR);
  }

  cork(): void {
    this.#stream.cork();
  }

  uncork(): void {
    this.#stream.uncork();
  }

  setDefaultEncoding(): void {
    // Nothing but bytes is written to a stream.
  }

  once(event: 'close', listener: () => void): void {
    this.#stream.once(event, listener);
  }
}
