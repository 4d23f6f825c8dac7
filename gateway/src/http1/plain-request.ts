import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { isBlank } from '../base/characters.ts';
import { FieldNames } from '../message/field-names.ts';
import type { SectionNotes, VisitorRequest } from '../message/message.ts';

const MAX_SECTIONS = 2048;
/** Longer sections are hardly sent twice. */
const MAX_REMEMBERED_LENGTH = 4096;
/** Sections are first compared by one character in this many. Then the whole text is compared. */
const SAMPLE_EVERY = 8;
const NO_SAMPLE = 0;

/**
 * Reads header sections. A browser sends the same section for every image of a page, so a section that came twice is
 * remembered and not read again. A section that came once, as in a flood, leaves one number in memory.
 */
export class SectionMemory {
  readonly #maxFields: number;
  readonly #sections = new Array<HeaderSection | undefined>(MAX_SECTIONS);
  readonly #samples = new Uint32Array(MAX_SECTIONS);
  /** The last sample that was seen at each slot. */
  readonly #lastSamples = new Uint32Array(MAX_SECTIONS);
  readonly #isUsed = new Uint8Array(MAX_SECTIONS);

  constructor(maxFields: number) {
    this.#maxFields = maxFields;
  }

  /**
   * The section that begins at `at` in `request`. `request` is `bytes` as latin1. Undefined as in readHeaderSection.
   */
  read(bytes: Buffer, request: string, at: number): HeaderSection | undefined {
    const text = request.slice(at);
    const sample = sampleOf(text);
    const slot = sample % MAX_SECTIONS;
    const knownSection = this.#sections[slot];
    if (knownSection?.text === text) {
      this.#isUsed[slot] = 1;
      return knownSection;
    }
    const isSecondTime = this.#lastSamples[slot] === sample && text.length <= MAX_REMEMBERED_LENGTH;
    this.#lastSamples[slot] = sample;
    // Many sections, such as those with a request counter, can have the same sample. The first one keeps the slot.
    if (!isSecondTime || this.#samples[slot] === sample) {
      return readHeaderSection(bytes, at, text, this.#maxFields);
    }
    // A copy of the text, because a slice would keep the target too.
    const ownText = bytes.toString('latin1', at);
    const section = readHeaderSection(bytes, at, ownText, this.#maxFields, {});
    this.#sections[slot] = section;
    this.#samples[slot] = section === undefined ? NO_SAMPLE : sample;
    this.#isUsed[slot] = 1;
    return section;
  }

  clear(): void {
    this.#sections.fill(undefined);
    this.#samples.fill(NO_SAMPLE);
  }

  /** Forgets sections that were not used since the last call, because they can contain credentials. */
  forgetUnused(): void {
    for (let slot = 0; slot < MAX_SECTIONS; slot++) {
      if (this.#isUsed[slot] === 1) continue;
      this.#sections[slot] = undefined;
      this.#samples[slot] = NO_SAMPLE;
    }
    this.#isUsed.fill(0);
  }
}

/**
 * A number of 32 bits (FNV-1a over a part of the characters) that is not NO_SAMPLE. A client that makes
 * two texts with the same number only slows its own requests.
 */
function sampleOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  for (let at = 0; at < text.length; at += SAMPLE_EVERY) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0 || 1;
}

interface PlainHead {
  readonly method: 'GET' | 'HEAD';
  /** Origin-form, as sent. */
  readonly target: string;
  readonly section: HeaderSection;
}

/** Origin-form without a fragment (RFC 9112 section 3.2.1). */
const TARGET_PATTERN = /^\/[!"$-~]*$/;
const VERSION_PART = ' HTTP/1.1';

/**
 * Reads bytes that came in one piece. They have to be exactly one whole GET or HEAD that asks only for its answer
 * (readHeaderSection). Undefined for everything else. That is no refusal: Node's parser then reads the request.
 */
export function readPlainHead(bytes: Buffer, sections: SectionMemory): PlainHead | undefined {
  const text = bytes.toString('latin1');
  const method = methodOf(text);
  const lineEnd = text.indexOf('\r\n');
  if (method === undefined || !text.startsWith(VERSION_PART, lineEnd - VERSION_PART.length))
    return undefined;
  const target = text.slice(method.length + 1, lineEnd - VERSION_PART.length);
  if (!TARGET_PATTERN.test(target)) return undefined;
  const section = sections.read(bytes, text, lineEnd + 2);
  return section && { method, target, section };
}

function methodOf(text: string): PlainHead['method'] | undefined {
  if (text.startsWith('GET ')) return 'GET';
  return text.startsWith('HEAD ') ? 'HEAD' : undefined;
}

/** The header section of a plain request, in the shapes that Node has. It must not be changed. */
export interface HeaderSection {
  /** Its lines, with the empty line at the end. Each byte is one latin1 character. */
  readonly text: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly rawHeaders: readonly string[];
  /** Undefined when the section is not remembered. */
  readonly notes: SectionNotes | undefined;
}

/** Fields and the empty line (RFC 9112 section 5). No folded line, no blank before a colon, no CR or LF alone. */
const PLAIN_SECTION = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n)+\r\n$/;

/**
 * Reads a header section that asks only for the answer: it has no body, no upgrade, no expectation and no field
 * twice, and it keeps the connection. Undefined for every other section.
 *
 * `bytes` are the whole request. The section begins at `at` and has the text `text`. `notes` become those of the
 * section.
 */
function readHeaderSection(
  bytes: Buffer,
  at: number,
  text: string,
  maxFields: number,
  notes?: SectionNotes,
): HeaderSection | undefined {
  if (!PLAIN_SECTION.test(text)) return undefined;
  const rawHeaders: string[] = [];
  const headers = Object.create(null) as Record<string, string>;
  let name = names.beforeFirst;
  let from = 0;
  for (let end = text.indexOf('\r\n'); end > from; end = text.indexOf('\r\n', from)) {
    name =
      names.guess(text, from, name) ?? names.take(text.slice(from, text.indexOf(':', from)), name);
    const value = valueBetween(bytes, at + from + name.withColon.length, at + end);
    const isMore =
      name.asksForMore && !(name.lower === 'connection' && KEEP_ALIVE_VALUES.has(value));
    if (isMore || headers[name.lower] !== undefined) return undefined;
    headers[name.lower] = value;
    if (rawHeaders.push(name.spelling, value) > 2 * maxFields) return undefined;
    from = end + 2;
  }
  return { text, headers, rawHeaders, notes };
}

const names = new FieldNames();
const KEEP_ALIVE_VALUES: ReadonlySet<string> = new Set(['keep-alive', 'Keep-Alive']);

/** Makes a new text. A slice would keep the whole request in memory as long as the value. */
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

  // The request has ended already: there is nothing to read, and no event comes.
  pause(): void {}
  resume(): void {}
  on(): void {}
  once(): void {}
  off(): void {}
}
