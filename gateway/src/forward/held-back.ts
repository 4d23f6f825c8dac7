import type { Visit } from '../arrive/arrive.ts';
import type { ForwardPorts } from './forward-ports.ts';
import type { VisitorBody } from './request-body.ts';
import { type ForwardPlan, planAnswer } from '../judge/request-plan.ts';
import { inGzip, plainAnswer, serve } from '../message/own-answer.ts';
import type { OriginExchange } from '../origin/origin.ts';

/** A page with more bytes than this is not read to its end. */
const MAX_REST_BYTES = 256 * 1024;

/**
 * Asks the validator whether the visitor may get this answer of the origin (HoldBack). If not, it sends the validator's
 * answer instead, and returns true. Then the caller must end the request to the origin (HeldBackRest). `fields` are names
 * and values in turn.
 */
export function serveHeldBack(
  { limits }: Pick<ForwardPorts, 'limits'>,
  { req, res }: Visit,
  { event }: ForwardPlan,
  status: number,
  fields: readonly string[],
): boolean {
  // An answer to HEAD has no body.
  const held = req.method === 'HEAD' ? undefined : event?.askHoldBack(status, fields);
  if (held === undefined) return false;
  const plan = planAnswer(held.response, held);
  const answer = plan.kind === 'serve' ? plan.answer : plainAnswer(403, 'Request denied.');
  serve(req, res, inGzip(answer), limits.lingerMs);
  return true;
}

/**
 * Reads the rest of an answer that was held back, so that the connection to the origin can carry another request. Each
 * connection that Guard closes keeps a port for a minute, so one visitor could use up all ports. Cuts the connection
 * when the rest is long or slow, or when the request was not sent completely.
 */
export class HeldBackRest {
  readonly #originExchange: OriginExchange | undefined;
  readonly #onEnd: () => void;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;
  #isOver = false;

  /** `onEnd` is called once, when the request does not use the origin any more. */
  constructor(
    { limits }: Pick<ForwardPorts, 'limits'>,
    originExchange: OriginExchange | undefined,
    body: VisitorBody | undefined,
    onEnd: () => void,
  ) {
    this.#originExchange = originExchange;
    this.#onEnd = onEnd;
    this.#timer = setTimeout(() => {
      this.end();
    }, limits.heldBackRestMs);
    if (body?.isSent === false) this.end();
    body?.stop();
  }

  onData(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > MAX_REST_BYTES) this.end();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#originExchange?.abort();
    this.#onEnd();
  }
}
