import type { DecisionEvent } from '@guard/config/contract/event';
import type {
  Ending,
  EventSink,
  Log,
  HeldBack,
  HoldBack,
  OriginAnswer,
  RequestEnded,
} from '@guard/config/contract/ports';
import type { Visit } from '../arrive/arrive.ts';

/** Recorded as the status when a visitor left before an answer began. */
export const VISITOR_GONE = 499;

/** Logs that the visitor has gone. That is no failure of Guard or of the origin. */
export function logVisitorGone(log: Log, { site }: Pick<Visit, 'site'>): void {
  log('info', 'gateway_visitor_gone', { site: site.name, status: VISITOR_GONE });
}

/**
 * Content types of documents. An answer in several ranges is a document too: a program could fetch a page in parts to
 * hide the page. A PDF viewer also asks for ranges, but only for a few.
 */
const DOCUMENT_TYPE =
  /^\s*(?:text\/html|application\/xhtml\+xml|text\/(?:markdown|x-wiki)|multipart\/(?:x-)?byteranges)\b/i;
/**
 * HTML of at most this many bytes is not a document when it answers a POST. A web terminal, for example, sends such an
 * answer to each key.
 */
const SHORT_BYTES = 1024;
/**
 * Content types of data: text, and data of programs. These types are not data: files that pages load, a web app
 * manifest, a playlist of a film, and a segment of a film (.ts), for which many servers send the type of a Qt
 * translation. Plain text is not data either: some servers send this type for each file that they do not know, such as
 * fonts and WebP pictures.
 */
const DATA_TYPE =
  /^\s*(?:text\/(?!(?:css|plain|vnd\.trolltech\.linguist|vtt|(?:x-)?js|[\w-]*script[\d.]*)(?![\w.+-]))\w|application\/(?!(?:manifest\+json|dash\+xml)\b)(?:[\w.-]*[.+-])?(?:nd)?(?:json|jsonl|jsonlines|xml|yaml|serialized)\b)/i;

/** Types of content without text. Many servers send a font with an `application/` type. */
const MEDIA_TYPE =
  /^\s*(?:(?:audio|font|image|video)\/[\w!#$&^.+-]|application\/(?:font-|x-font-|vnd\.ms-fontobject\b))/i;

/** Without a known type, a browser may show the body as a page (MIME Sniffing standard, section 7). */
const KNOWN_TYPE = /^\s*(?!(?:unknown|application)\/unknown\b)[\w!#$&^.+-]+\/[\w!#$&^.+-]/i;

/** The event of one decision. It is recorded once, when the answer to the visitor is known. */
export class OpenEvent {
  readonly #sink: EventSink;
  readonly #onEnded: RequestEnded | undefined;
  readonly #holdBack: HoldBack | undefined;
  #event: DecisionEvent | undefined;
  #sentAt = 0;
  #bodySentAt = 0;
  /** The origin's answer when it is a document and its body has not begun. */
  #openDocument: { readonly answer: OriginAnswer | undefined } | undefined;

  /** `onEnded` and `holdBack` are those of ResponseExtras. */
  constructor(event: DecisionEvent, sink: EventSink, onEnded?: RequestEnded, holdBack?: HoldBack) {
    this.#event = event;
    this.#sink = sink;
    this.#onEnded = onEnded;
    this.#holdBack = holdBack;
  }

  /**
   * Notes that the request goes to an origin. When there are several attempts, the event describes the last one.
   * `hasBody` says whether a body follows.
   */
  noteSent(hasBody: boolean): void {
    this.#sentAt = performance.now();
    this.#bodySentAt = hasBody ? Infinity : this.#sentAt;
  }

  /**
   * Notes that the whole body has gone to the origin. From now on Guard waits for the origin, and not for the visitor.
   */
  noteBodySent(): void {
    this.#bodySentAt = performance.now();
  }

  /**
   * Asks whether the answer is held back (HoldBack). If so, returns the answer for the visitor, and records its event.
   * Undefined when the origin's answer goes to the visitor: then call `noteAnswer`. `fields` are names and values in turn.
   */
  askHoldBack(status: number, fields: readonly string[]): HeldBack | undefined {
    const event = this.#event;
    if (event === undefined || this.#holdBack === undefined) return undefined;
    const isShared = valueOf('access-control-allow-origin', fields) !== '';
    const held = this.#holdBack(endingOf(event.method, status, fields), isShared);
    if (held === undefined) return undefined;
    const now = performance.now();
    const originUs = this.#originUs(now);
    this.#event = undefined;
    this.#onEnded?.('other', this.#originAnswer(status, now));
    const { trace } = event;
    this.#sink.record({ ...held.event, ...(trace && { trace }), originStatus: status, originUs });
    return held;
  }

  /**
   * Notes that the header section of an origin's final answer goes on to the visitor. `fields` are names and values
   * in turn.
   */
  noteAnswer(status: number, fields: readonly string[]): void {
    if (this.#event === undefined) return;
    this.#event.originStatus = status;
    const now = performance.now();
    this.#event.originUs = this.#originUs(now);
    this.#end(status, this.#onEnded ? endingOf(this.#event.method, status, fields) : 'other', now);
  }

  /** Notes the first part of the body. An answer is a document only when its body has begun. */
  bodyBegins(): void {
    this.#endDocument('document');
  }

  /**
   * Records the event. `status` is the status that the visitor gets, when it differs from the status of the decision.
   * `reference` is the code on a page of the gateway. A second call does nothing.
   */
  record(status?: number, reference = ''): void {
    if (this.#event !== undefined && reference !== '') this.#event.reference = reference;
    this.#endDocument('other');
    this.#end(status, 'other', performance.now());
  }

  #endDocument(ending: Ending): void {
    const openDocument = this.#openDocument;
    if (openDocument === undefined) return;
    this.#openDocument = undefined;
    this.#onEnded?.(ending, openDocument.answer);
  }

  #end(status: number | undefined, ending: Ending, now: number): void {
    const event = this.#event;
    if (event === undefined) return;
    this.#event = undefined;
    if (status !== undefined) event.statusCode = status;
    const answer = this.#originAnswer(status, now);
    if (ending === 'document') this.#openDocument = { answer };
    else this.#onEnded?.(ending, answer);
    this.#sink.record(event);
  }

  #originUs(now: number): number {
    return Math.round((now - this.#sentAt) * 1000);
  }

  #originAnswer(status: number | undefined, now: number): OriginAnswer | undefined {
    if (status === undefined || status === VISITOR_GONE || this.#sentAt === 0) return undefined;
    return { status, ms: Math.max(0, now - this.#bodySentAt) };
  }
}

/**
 * Only a successful answer with a body can be a document or data. The content of an error page is of no use to a
 * program.
 */
function endingOf(method: string, status: number, fields: readonly string[]): Ending {
  if (method === 'HEAD' || status < 200 || status > 299) return 'other';
  if (hasNoBody(status, fields)) return 'other';
  const type = valueOf('content-type', fields);
  if (method === 'POST' && isShort(status, type, fields)) return 'content';
  if (DOCUMENT_TYPE.test(type)) return 'document';
  if (DATA_TYPE.test(type)) return 'data';
  if (MEDIA_TYPE.test(type)) return 'other';
  if (KNOWN_TYPE.test(type)) return 'content';
  // Apache sends no type for a file with an extension that it does not know. It offers ranges of files, but not of
  // pages.
  const isStored = type === '' && valueOf('accept-ranges', fields).toLowerCase() === 'bytes';
  return isStored ? 'file' : 'document';
}

/**
 * Whether the answer is short HTML. A part of a page is not, because a program can fetch a page in parts. A compressed
 * page is not either.
 */
function isShort(status: number, type: string, fields: readonly string[]): boolean {
  return (
    status === 200 &&
    /^\s*text\/html\b/i.test(type) &&
    Number(valueOf('content-length', fields) || 'NaN') <= SHORT_BYTES &&
    valueOf('content-encoding', fields) === ''
  );
}

function hasNoBody(status: number, fields: readonly string[]): boolean {
  return status === 204 || status === 205 || Number(valueOf('content-length', fields) || '1') === 0;
}

/**
 * The value of a field. Empty when there is no such field. `name` is in lower case. The lengths of the names are
 * compared first, because most names differ in length.
 */
function valueOf(name: string, fields: readonly string[]): string {
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const field = fields[at] ?? '';
    if (field.length === name.length && field.toLowerCase() === name) return fields[at + 1] ?? '';
  }
  return '';
}
