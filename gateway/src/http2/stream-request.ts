import type { IncomingHttpHeaders } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { VisitorRequest, VisitorSocket } from '../message/message.ts';

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

/** One stream in the place of a connection. Its end does not affect the other streams. */
class StreamSocket implements VisitorSocket {
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  get destroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  /** RFC 9113 section 8.1: after a complete answer, NO_ERROR stops only the upload. */
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
    // A stream gets only bytes, so the encoding does not matter.
  }

  once(event: 'close', listener: () => void): void {
    this.#stream.once(event, listener);
  }
}

/** The parsed header section of an HTTP/2 request. */
interface StreamFields {
  readonly method: string;
  readonly path: string;
  /** `:authority`, or Host when that is missing. Empty without both. */
  readonly authority: string;
  /** Names are in lower case. The values of a field that was sent twice are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values in turn, in the form of HTTP/1.1: Host first, and one Cookie. */
  readonly rawHeaders: readonly string[];
  /** Why the request must not be forwarded. Undefined when nothing is wrong. */
  readonly fault: string | undefined;
}

/** RFC 9113 section 8.2.2: fields about the connection, which HTTP/2 forbids. */
const CONNECTION_SPECIFIC: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** RFC 9113 section 8.2.1: characters that would end a line or the text in HTTP/1.1. */
const LINE_ENDING = /[\0\r\n]/;

/**
 * Reads a header section, names and values in turn. The library has refused most malformed sections (RFC 9113 section
 * 8.1.1). This code checks again for everything that would mean something else in HTTP/1.1.
 */
function readFields(raw: readonly string[]): StreamFields {
  const reader = new FieldReader();
  for (let i = 0; i + 1 < raw.length; i += 2) reader.take(raw[i] ?? '', raw[i + 1] ?? '');
  return reader.finish();
}

class FieldReader {
  readonly #pseudo = new Map<string, string>();
  readonly #headers = emptyHeaders();
  readonly #rest: string[] = [];
  #cookieAt = -1;
  #fault: string | undefined;

  take(name: string, value: string): void {
    if (LINE_ENDING.test(value)) this.#fault ??= 'A field value has a line ending.';
    if (name.startsWith(':')) this.#takePseudo(name, value);
    else this.#takeField(name, value);
  }

  #takePseudo(name: string, value: string): void {
    if (this.#pseudo.has(name) || this.#rest.length > 0) {
      this.#fault ??= 'Misplaced pseudo-header field.';
    }
    this.#pseudo.set(name, value);
  }

  #takeField(name: string, value: string): void {
    this.#fault ??= faultOf(name, value);
    const before = this.#headers[name];
    const separator = name === 'cookie' ? '; ' : ', ';
    const joined = before === undefined ? value : before + separator + value;
    this.#headers[name] = joined;
    if (name === 'host') return;
    // RFC 9113 section 8.2.3: a client may split Cookie for better compression, so its parts are joined.
    if (name === 'cookie' && this.#cookieAt !== -1) this.#rest[this.#cookieAt] = joined;
    else this.#rest.push(name, value);
    if (name === 'cookie' && this.#cookieAt === -1) this.#cookieAt = this.#rest.length - 1;
  }

  finish(): StreamFields {
    const pseudo = this.#pseudo;
    const host = this.#headers['host'];
    const authority = pseudo.get(':authority') ?? host ?? '';
    if (host !== undefined && host !== authority) this.#fault ??= 'Host and :authority differ.';
    if (pseudo.get(':scheme') !== 'https') this.#fault ??= 'The scheme must be https.';
    // HTTP/1.1 sends Host first, and the validator looks at the order.
    const headers = emptyHeaders();
    headers['host'] = authority;
    Object.assign(headers, this.#headers, { host: authority });
    return {
      method: pseudo.get(':method') ?? '',
      path: pseudo.get(':path') ?? '',
      authority,
      headers,
      rawHeaders: ['host', authority, ...this.#rest],
      fault: this.#fault,
    };
  }
}

/** Without a prototype, so that a field can also be called `constructor`. */
function emptyHeaders(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

function faultOf(name: string, value: string): string | undefined {
  if (!TOKEN.test(name)) return 'Invalid field name.';
  if (CONNECTION_SPECIFIC.has(name)) return 'Connection-specific header field.';
  if (name === 'te' && value.toLowerCase() !== 'trailers') return 'TE may only say trailers.';
  return undefined;
}
