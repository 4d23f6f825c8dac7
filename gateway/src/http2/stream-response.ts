import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { headerKind } from '../message/field-names.ts';
import type { VisitorResponse } from '../message/message.ts';

type Section = Record<string, string | string[]>;

/** An answer over HTTP/2 in the form that every stage of the gateway writes. */
export class StreamResponse implements VisitorResponse {
  headersSent = false;
  readonly #stream: ServerHttp2Stream;
  readonly #onEnd: ((stream: ServerHttp2Stream) => void) | undefined;
  #trailers: OutgoingHttpHeaders = {};

  /** `onEnd` is called when the answer is complete. The visitor need not have read it. */
  constructor(stream: ServerHttp2Stream, onEnd?: (stream: ServerHttp2Stream) => void) {
    this.#stream = stream;
    this.#onEnd = onEnd;
  }

  get writableLength(): number {
    return this.#stream.writableLength;
  }

  writeHead(status: number, reasonOrFields: string | string[], fieldsAfterReason?: string[]): void {
    const fields = typeof reasonOrFields === 'string' ? (fieldsAfterReason ?? []) : reasonOrFields;
    if (this.headersSent || this.#isOver()) return;
    this.headersSent = true;
    const head = [':status', String(status)];
    let hasLength = false;
    for (let i = 0; i + 1 < fields.length; i += 2) {
      const name = (fields[i] ?? '').toLowerCase();
      const kind = headerKind(name);
      if (kind === 'hop-by-hop' || kind === 'connection') continue;
      if (kind === 'content-length') hasLength = true;
      head.push(name, fields[i + 1] ?? '');
    }
    // An origin of HTTP/1.1 can send trailers only with chunks, and such an answer has no length.
    if (!hasLength) this.#stream.once('wantTrailers', this.#sendTrailers);
    this.#stream.respond(head, { waitForTrailers: !hasLength });
  }

  flushHeaders(): void {
    // Does nothing: `writeHead` sends the HEADERS frame at once.
  }

  write(part: Buffer): boolean {
    return this.#isOver() || this.#stream.write(part);
  }

  end(part?: Buffer): void {
    if (this.#isOver()) return;
    if (part === undefined) this.#stream.end();
    else this.#stream.end(part);
    this.#onEnd?.(this.#stream);
  }

  addTrailers(trailers: readonly [string, string][]): void {
    const section: Section = {};
    for (const [name, value] of trailers) addField(section, name, value);
    this.#trailers = section;
  }

  writeInterim(status: number, fields: readonly string[]): void {
    if (this.headersSent || this.#isOver()) return;
    const section: Section = {};
    for (let i = 0; i + 1 < fields.length; i += 2) {
      addField(section, fields[i] ?? '', fields[i + 1] ?? '');
    }
    this.#stream.additionalHeaders({ ...section, ':status': status });
  }

  once(event: 'drain', listener: () => void): void {
    this.#stream.once(event, listener);
  }

  readonly #sendTrailers = (): void => {
    if (!this.#isOver()) this.#stream.sendTrailers(this.#trailers);
  };

  #isOver(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }
}

/** Node accepts trailers and interim fields only as an object with names in lower case. */
function addField(section: Section, name: string, value: string): void {
  const lower = name.toLowerCase();
  // `hasOwn` is needed, because a field can be called `constructor`.
  const earlierValue = Object.hasOwn(section, lower) ? section[lower] : undefined;
  section[lower] = earlierValue === undefined ? value : [earlierValue, value].flat();
}
