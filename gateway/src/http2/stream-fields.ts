import type { SectionNotes } from '../message/message.ts';

/** The parsed header section of an HTTP/2 request. */
export interface StreamFields {
  readonly method: string;
  readonly path: string;
  /** `:authority`, or Host when `:authority` is missing. Empty when both are missing. */
  readonly authority: string;
  /** Names are in lower case. The values of a field that was sent twice are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values in turn, in the form of HTTP/1.1: Host first, and one Cookie. */
  readonly rawHeaders: readonly string[];
  /** Why the request must not be forwarded. Undefined when nothing is wrong. */
  readonly fault: string | undefined;
  /** Notes about the section. They do not depend on the path. */
  readonly notes: SectionNotes;
}

/** A longer section is hardly ever sent twice. */
const MAX_REMEMBERED_LENGTH = 4096;

/**
 * Reads the header sections of one connection. A browser sends the same section for every image of a page, with a
 * different path each time. So a section is not read again when it differs only in its path from the section before it.
 */
export class StreamSections {
  #lastRaw: readonly string[] = [];
  /** The fields of `#lastRaw`. Undefined when they are not remembered. */
  #lastFields: StreamFields | undefined;

  read(raw: readonly string[]): StreamFields {
    const path = this.#lastFields && pathIfOnlyDifference(this.#lastRaw, raw);
    if (this.#lastFields !== undefined && path !== undefined && !LINE_ENDING.test(path)) {
      return { ...this.#lastFields, path };
    }
    const fields = readFields(raw);
    const isKept = fields.fault === undefined && lengthOf(raw) <= MAX_REMEMBERED_LENGTH;
    this.#lastRaw = isKept ? raw : [];
    this.#lastFields = isKept ? fields : undefined;
    return fields;
  }
}

/** The `:path` of `second` when the two sections have no other difference. Otherwise undefined. */
function pathIfOnlyDifference(
  first: readonly string[],
  second: readonly string[],
): string | undefined {
  if (first.length !== second.length) return undefined;
  let path: string | undefined;
  for (let i = 0; i + 1 < first.length; i += 2) {
    if (first[i] !== second[i]) return undefined;
    if (first[i] === ':path') path = second[i + 1];
    else if (first[i + 1] !== second[i + 1]) return undefined;
  }
  return path;
}

function lengthOf(raw: readonly string[]): number {
  return raw.reduce((sum, text) => sum + text.length, 0);
}

/** RFC 9113 section 8.2.2: fields about the connection, which HTTP/2 forbids. */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

const TOKEN_PATTERN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** RFC 9113 section 8.2.1: characters that would end a line or the text in HTTP/1.1. */
const LINE_ENDING = /[\0\r\n]/;

/**
 * Reads a header section, names and values in turn. The library has refused most malformed sections (RFC 9113 section
 * 8.1.1). This code refuses the sections that would have another meaning in HTTP/1.1.
 */
function readFields(raw: readonly string[]): StreamFields {
  const reader = new FieldReader();
  for (let i = 0; i + 1 < raw.length; i += 2) reader.take(raw[i] ?? '', raw[i + 1] ?? '');
  return reader.finish();
}

class FieldReader {
  readonly #pseudoFields = new Map<string, string>();
  readonly #headers = emptyHeaders();
  readonly #rawFields: string[] = [];
  #cookieIndex = -1;
  #fault: string | undefined;

  take(name: string, value: string): void {
    if (LINE_ENDING.test(value)) this.#fault ??= 'A field value has a line ending.';
    if (name.startsWith(':')) this.#takePseudo(name, value);
    else this.#takeField(name, value);
  }

  #takePseudo(name: string, value: string): void {
    if (this.#pseudoFields.has(name) || this.#rawFields.length > 0) {
      this.#fault ??= 'Misplaced pseudo-header field.';
    }
    this.#pseudoFields.set(name, value);
  }

  #takeField(name: string, value: string): void {
    this.#fault ??= faultOf(name, value);
    const earlierValue = this.#headers[name];
    const separator = name === 'cookie' ? '; ' : ', ';
    const joinedValue = earlierValue === undefined ? value : earlierValue + separator + value;
    this.#headers[name] = joinedValue;
    if (name === 'host') return;
    // RFC 9113 section 8.2.3: a client may split Cookie for better compression, so its parts are joined.
    if (name === 'cookie' && this.#cookieIndex !== -1)
      this.#rawFields[this.#cookieIndex] = joinedValue;
    else this.#rawFields.push(name, value);
    if (name === 'cookie' && this.#cookieIndex === -1)
      this.#cookieIndex = this.#rawFields.length - 1;
  }

  finish(): StreamFields {
    const pseudo = this.#pseudoFields;
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
      rawHeaders: ['host', authority, ...this.#rawFields],
      fault: this.#fault,
      notes: {},
    };
  }
}

/** The object has no prototype, so that a field can also be called `constructor`. */
function emptyHeaders(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

function faultOf(name: string, value: string): string | undefined {
  if (!TOKEN_PATTERN.test(name)) return 'Invalid field name.';
  if (CONNECTION_FIELDS.has(name)) return 'Connection-specific header field.';
  if (name === 'te' && value.toLowerCase() !== 'trailers') return 'TE may only say trailers.';
  return undefined;
}
