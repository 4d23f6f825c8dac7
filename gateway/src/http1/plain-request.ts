import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { isBlank } from '../base/characters.ts';
import { FieldNames } from '../message/field-names.ts';
import type { SectionNotes, VisitorRequest } from '../message/message.ts';

/** Each has room for one section. */
const PLACES = 2048;
/** Longer sections are hardly sent twice. */
const MAX_LENGTH = 4096;
/** Sections are first compared by one character in this many. Then the whole text is compared. */
const SAMPLED = 8;
const NOTHING = 0;

/**
 * Reads header sections, and those that it sees again it reads only once: browsers send the same one
 * for every image of a page. What is new each time, as in a flood, leaves a number behind and no more.
 */
export class SectionMemory {
  readonly #maxFields: number;
  readonly #sections = new Array<HeaderSection | undefined>(PLACES);
  /** The samples of the sections that are remembered. */
  readonly #samples = new Uint32Array(PLACES);
  /** The sample that was seen last, of those that have this place. */
  readonly #seen = new Uint32Array(PLACES);
  readonly #isUsed = new Uint8Array(PLACES);

  constructor(maxFields: number) {
    this.#maxFields = maxFields;
  }

  /**
   * The section that stands behind `at` in `request`, which is these bytes as latin1; undefined where
   * readHeaderSection has none.
   */
  read(bytes: Buffer, request: string, at: number): HeaderSection | undefined {
    const text = request.slice(at);
    const sample = sampleOf(text);
    const place = sample % PLACES;
    const known = this.#sections[place];
    if (known?.text === text) {
      this.#isUsed[place] = 1;
      return known;
    }
    const isAgain = this.#seen[place] === sample && text.length <= MAX_LENGTH;
    this.#seen[place] = sample;
    // Of sections that look alike, such as those that count their requests, the first keeps the place.
    if (!isAgain || this.#samples[place] === sample) {
      return readHeaderSection(bytes, at, text, this.#maxFields);
    }
    // A copy of the text, because a slice would keep the target too.
    const own = bytes.toString('latin1', at);
    const section = readHeaderSection(bytes, at, own, this.#maxFields, {});
    this.#sections[place] = section;
    this.#samples[place] = section === undefined ? NOTHING : sample;
    this.#isUsed[place] = 1;
    return section;
  }

  /** Forgets everything. */
  clear(): void {
    this.#sections.fill(undefined);
    this.#samples.fill(NOTHING);
  }

  /** Forgets what was not used since this was called last: credentials are among it. */
  forgetUnused(): void {
    for (let place = 0; place < PLACES; place++) {
      if (this.#isUsed[place] === 1) continue;
      this.#sections[place] = undefined;
      this.#samples[place] = NOTHING;
    }
    this.#isUsed.fill(0);
  }
}

/**
 * A number of 32 bits (FNV-1a over a part of the characters) that is not NOTHING. A client that makes
 * two texts with the same number only slows its own requests.
 */
function sampleOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  for (let at = 0; at < text.length; at += SAMPLED) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0 || 1;
}

/** A plain request. */
interface PlainHead {
  readonly method: 'GET' | 'HEAD';
  /** Origin-form, as sent. */
  readonly target: string;
  readonly section: HeaderSection;
}

/** Origin-form without a fragment (RFC 9112 section 3.2.1). */
const TARGET = /^\/[!"$-~]*$/;
const VERSION = ' HTTP/1.1';

/**
 * Reads what came in one piece, if it is one whole GET or HEAD that asks for nothing but its answer
 * (readHeaderSection), and nothing behind it. Undefined for all else, which is not refused: Node's
 * parser has it then, and the last word.
 */
export function readPlainHead(bytes: Buffer, sections: SectionMemory): PlainHead | undefined {
  const text = bytes.toString('latin1');
  const method = methodOf(text);
  const lineEnd = text.indexOf('\r\n');
  if (method === undefined || !text.startsWith(VERSION, lineEnd - VERSION.length)) return undefined;
  const target = text.slice(method.length + 1, lineEnd - VERSION.length);
  if (!TARGET.test(target)) return undefined;
  const section = sections.read(bytes, text, lineEnd + 2);
  return section && { method, target, section };
}

function methodOf(text: string): PlainHead['method'] | undefined {
  if (text.startsWith('GET ')) return 'GET';
  return text.startsWith('HEAD ') ? 'HEAD' : undefined;
}

/** The header section of a plain request, in the shapes that Node gives one. Nobody changes it. */
export interface HeaderSection {
  /** Its lines with the empty one behind them, a latin1 character a byte. */
  readonly text: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly rawHeaders: readonly string[];
  /** Undefined where it is not remembered. */
  readonly notes: SectionNotes | undefined;
}

/** Fields and the empty line (RFC 9112 section 5): no folded line, no blank before a colon, no bare CR or LF. */
const FORM = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n)+\r\n$/;

/**
 * Reads a header section that asks for nothing but the answer: no body, no upgrade, no expectation, no
 * field twice, the connection kept. Undefined for every other one.
 *
 * `bytes` are the request whose section begins at `at` and is `text`; `notes` are the section's.
 */
function readHeaderSection(
  bytes: Buffer,
  at: number,
  text: string,
  maxFields: number,
  notes?: SectionNotes,
): HeaderSection | undefined {
  if (!FORM.test(text)) return undefined;
  const rawHeaders: string[] = [];
  const headers = Object.create(null) as Record<string, string>;
  let name = names.beforeFirst;
  let from = 0;
  for (let end = text.indexOf('\r\n'); end > from; end = text.indexOf('\r\n', from)) {
    name =
      names.guess(text, from, name) ?? names.take(text.slice(from, text.indexOf(':', from)), name);
    const value = valueBetween(bytes, at + from + name.withColon.length, at + end);
    const isMore = name.asksForMore && !(name.lower === 'connection' && KEPT.has(value));
    if (isMore || headers[name.lower] !== undefined) return undefined;
    headers[name.lower] = value;
    if (rawHeaders.push(name.spelling, value) > 2 * maxFields) return undefined;
    from = end + 2;
  }
  return { text, headers, rawHeaders, notes };
}

const names = new FieldNames();
const KEPT: ReadonlySet<string> = new Set(['keep-alive', 'Keep-Alive']);

/** A text of its own: a slice would keep the whole request in memory wherever the value is kept. */
function valueBetween(bytes: Buffer, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(bytes[start])) start++;
  while (end > start && isBlank(bytes[end - 1])) end--;
  return bytes.toString('latin1', start, end);
}

const NO_TRAILERS: readonly string[] = [];

/** A request without a body, in the form that every stage of the gateway takes. */
export class PlainRequest implements VisitorRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderSection['headers'];
  readonly rawHeaders: readonly string[];
  readonly notes: SectionNotes | undefined;
  readonly rawTrailers = NO_TRAILERS;
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly complete = true;
  readonly readableEnded = true;
  readonly socket: Socket;

  constructor(socket: Socket, { method, target, section }: PlainHead) {
    this.method = method;
    this.url = target;
    this.headers = section.headers;
    this.rawHeaders = section.rawHeaders;
    this.notes = section.notes;
    this.socket = socket;
  }

  // It has ended already, and there is nothing to be read or told.
  pause(): void {}
  resume(): void {}
  on(): void {}
  once(): void {}
  off(): void {}
}
