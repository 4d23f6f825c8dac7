import { isHttp10, type VisitorRequest, type VisitorResponse } from '../message.ts';
import type { BodySink, RequestBody } from '../origin/origin.ts';
import { trailersForOrigin } from './proxy-headers.ts';

/**
 * The body of a visitor's request on its way to the origin. Nothing is kept: the visitor is read no
 * faster than the origin takes, and never destroyed, since that would take the connection along on
 * which an answer is awaited.
 */
export class VisitorBody implements RequestBody {
  readonly length: number | undefined;
  readonly #req: VisitorRequest;
  readonly #onStalled: () => void;
  readonly #idleMs: number;
  #sink: BodySink | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onStalled` is called when the origin waits for a part and none comes for `idleMs`. */
  constructor(req: VisitorRequest, idleMs: number, onStalled: () => void) {
    const length = req.headers['content-length'];
    this.length = length === undefined ? undefined : Number(length);
    this.#req = req;
    this.#idleMs = idleMs;
    this.#onStalled = onStalled;
  }

  start(sink: BodySink): void {
    this.#sink = sink;
    this.#req.on('data', this.#take);
    this.#req.once('end', this.#finish);
    this.resume();
  }

  pause(): void {
    this.#stopTimer();
    this.#req.pause();
  }

  resume(): void {
    this.#timer ??= setTimeout(this.#onStalled, this.#idleMs);
    this.#req.resume();
  }

  stop(): void {
    this.#sink = undefined;
    this.#stopTimer();
    this.#req.off('data', this.#take);
    this.#req.off('end', this.#finish);
  }

  readonly #take = (part: Buffer): void => {
    this.#timer?.refresh();
    this.#sink?.onPart(part);
  };

  readonly #finish = (): void => {
    const sink = this.#sink;
    this.stop();
    sink?.onPartsEnd(trailersForOrigin(this.#req.rawTrailers));
  };

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** RFC 9110 section 10.1.1: tells a visitor who asked first that the upload is wanted. */
export function inviteBody(req: VisitorRequest, res: VisitorResponse): void {
  if (req.headers.expect !== undefined && !isHttp10(req)) res.writeContinue();
}
