import type { SectionNotes } from '../message/message.ts';

/** The parsed header section of an HTTP/2 request. */
export interface StreamFields {
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
  /** They do not depend on the path. */
  readonly notes: SectionNotes;
}

/** Longer sections are hardly sent twice. */
const MAX_REMEMBERED_LENGTH = 4096;

/**
 * Reads the header sections of one connection. A browser sends the same section for every image of a page, with
 * another path. So a section that differs from the one before it only in its path is not read again.
 */
export class StreamSections {
  #raw: readonly string[] = [];
  /** The fields of `#raw`. Undefined when they are not remembered. */
  #fields: StreamFields | undefined;

  read(raw: readonly string[]): StreamFields {
    const path = this.#fields && pathOfSame(this.#raw, raw);
    if (this.#fields !== undefined && path !== undefined && !LINE_ENDING.test(path)) {
      return { ...this.#fields, path };
    }
    const fields = readFields(raw);
    const isKept = fields.fault === undefined && lengthOf(raw) <= MAX_REMEMBERED_LENGTH;
    this.#raw = isKept ? raw : [];
    this.#fields = isKept ? fields : undefined;
    return fields;
  }
}

/** The `:path` of a section that is the same as another one in everything else. Undefined when it is not. */
function pathOfSame(one: readonly string[], other: readonly string[]): string | undefined {
  if (one.length !== other.length) return undefined;
  let path: string | undefined;
  for (let i = 0; i + 1 < one.length; i += 2) {
    if (one[i] !== other[i]) return undefined;
    if (one[i] === ':path') path = other[i + 1];
    else if (one[i + 1] !== other[i + 1]) return undefined;
  }
  return path;
}

function lengthOf(raw: readonly string[]): number {
  return raw.reduce((sum, text) => sum + text.length, 0);
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
      notes: {},
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
