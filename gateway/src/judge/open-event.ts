import type { DecisionEvent } from '@guard/config/contract/event';
import type {
  Ending,
  EventSink,
  Log,
  OriginAnswer,
  RequestEnded,
} from '@guard/config/contract/ports';
import type { Visit } from '../arrive/arrive.ts';

/** In place of a status, for a visitor who left before an answer began. */
export const VISITOR_GONE = 499;

/** The visitor has gone: this is no failure of Guard or of the origin. */
export function logVisitorGone(log: Log, { site }: Pick<Visit, 'site'>): void {
  log('info', 'gateway_visitor_gone', { site: site.name, status: VISITOR_GONE });
}

const CONTENT_TYPE = /^content-type$/i;
const CONTENT_LENGTH = /^content-length$/i;
/** Several ranges are the parts of what a visitor wants to hide, or a reader of PDF files, which needs few of them. */
const DOCUMENT =
  /^\s*(?:text\/html|application\/xhtml\+xml|text\/markdown|multipart\/(?:x-)?byteranges)\b/i;
const DATA = /^\s*(?:application\/(?:[\w.-]+\+)?(?:json|xml)|text\/(?:xml|csv))\b/i;

/** Without such a type a browser looks at the body, and shows a page where it finds one (MIME Sniffing standard, 7). */
const KNOWN_TYPE = /^\s*(?!(?:unknown|application)\/unknown\b)[\w!#$&^.+-]+\/[\w!#$&^.+-]/i;

/**
 * The event of one decision until it is known what the visitor gets; then it is recorded, once. Each
 * request under way holds one.
 */
export class OpenEvent {
  readonly #sink: EventSink;
  readonly #ended: RequestEnded | undefined;
  #event: DecisionEvent | undefined;
  #sentAt = 0;
  #wholeAt = 0;

  /** `ended` as in KnownBesides. */
  constructor(event: DecisionEvent, sink: EventSink, ended?: RequestEnded) {
    this.#event = event;
    this.#sink = sink;
    this.#ended = ended;
  }

  /** The request goes to an origin. Of several attempts the last one counts. A body is still to come, or there is none. */
  sent(hasBody: boolean): void {
    this.#sentAt = performance.now();
    this.#wholeAt = hasBody ? Infinity : this.#sentAt;
  }

  /** The last byte of the body goes to the origin. From now on it is the origin who takes time, and not the visitor. */
  sentWhole(): void {
    this.#wholeAt = performance.now();
  }

  /** The header section of an origin's final answer goes on to the visitor. `fields` are names and values in turn. */
  answered(status: number, fields: readonly string[]): void {
    if (this.#event === undefined) return;
    this.#event.originStatus = status;
    this.#event.originUs = Math.round((performance.now() - this.#sentAt) * 1000);
    this.#end(status, this.#ended ? endingOf(status, fields) : 'other');
  }

  /**
   * The visitor gets this status, or the one that was decided, and the code of a page that the gateway shows. Does
   * nothing when it is called again.
   */
  record(status?: number, reference = ''): void {
    if (this.#event !== undefined && reference !== '') this.#event.reference = reference;
    this.#end(status, 'other');
  }

  #end(status: number | undefined, how: Ending): void {
    const event = this.#event;
    if (event === undefined) return;
    this.#event = undefined;
    if (status !== undefined) event.statusCode = status;
    this.#ended?.(how, this.#originAnswer(status));
    this.#sink.record(event);
  }

  #originAnswer(status: number | undefined): OriginAnswer | undefined {
    if (status === undefined || status === VISITOR_GONE || this.#sentAt === 0) return undefined;
    return { status, ms: Math.max(0, performance.now() - this.#wholeAt) };
  }
}

/** An error page in place of a picture counts for nothing: it holds nothing that is worth taking. */
function endingOf(status: number, fields: readonly string[]): Ending {
  if (status < 200 || status > 299) return 'other';
  const type = valueOf(CONTENT_TYPE, fields);
  if (DOCUMENT.test(type)) return 'document';
  if (DATA.test(type)) return 'data';
  return KNOWN_TYPE.test(type) || isEmpty(status, fields) ? 'other' : 'document';
}

function isEmpty(status: number, fields: readonly string[]): boolean {
  return status === 204 || status === 205 || Number(valueOf(CONTENT_LENGTH, fields) || '1') === 0;
}

/** Empty where there is no such field. */
function valueOf(name: RegExp, fields: readonly string[]): string {
  const at = fields.findIndex((field, index) => index % 2 === 0 && name.test(field));
  return at === -1 ? '' : (fields[at + 1] ?? '');
}
