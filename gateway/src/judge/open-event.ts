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
    const now = performance.now();
    this.#event.originUs = Math.round((now - this.#sentAt) * 1000);
    this.#end(status, this.#ended ? endingOf(status, fields) : 'other', now);
  }

  /**
   * The visitor gets this status, or the one that was decided, and the code of a page that the gateway shows. Does
   * nothing when it is called again.
   */
  record(status?: number, reference = ''): void {
    if (this.#event !== undefined && reference !== '') this.#event.reference = reference;
    this.#end(status, 'other', performance.now());
  }

  #end(status: number | undefined, how: Ending, now: number): void {
    const event = this.#event;
    if (event === undefined) return;
    this.#event = undefined;
    if (status !== undefined) event.statusCode = status;
    this.#ended?.(how, this.#originAnswer(status, now));
    this.#sink.record(event);
  }

  #originAnswer(status: number | undefined, now: number): OriginAnswer | undefined {
    if (status === undefined || status === VISITOR_GONE || this.#sentAt === 0) return undefined;
    return { status, ms: Math.max(0, now - this.#wholeAt) };
  }
}

/** An error page in place of a picture counts for nothing: it holds nothing that is worth taking. */
function endingOf(status: number, fields: readonly string[]): Ending {
  if (status < 200 || status > 299) return 'other';
  const type = valueOf('content-type', fields);
  if (DOCUMENT.test(type)) return 'document';
  if (DATA.test(type)) return 'data';
  return KNOWN_TYPE.test(type) || isEmpty(status, fields) ? 'other' : 'document';
}

function isEmpty(status: number, fields: readonly string[]): boolean {
  return status === 204 || status === 205 || Number(valueOf('content-length', fields) || '1') === 0;
}

/** Empty where there is no such field. `name` is in lower case; most names differ from it by their length already. */
function valueOf(name: string, fields: readonly string[]): string {
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const field = fields[at] ?? '';
    if (field.length === name.length && field.toLowerCase() === name) return fields[at + 1] ?? '';
  }
  return '';
}
