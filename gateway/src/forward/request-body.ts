import { isHttp10, type VisitorRequest, type VisitorResponse } from '../message.ts';
import type { BodySink, RequestBody } from '../origin/origin.ts';
import type { BodyOpening, Visit } from '../visit.ts';
import { trailersForOrigin } from './proxy-headers.ts';

/**
 * The body of a visitor's request on its way to the origin, from its opening on. Nothing is kept: the visitor is read no
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
  readonly #opening: BodyOpening | undefined;
  #paused = false;

  /** `onStalled` is called when the origin waits for a part and none comes for `idleMs`. */
  constructor(
    { req, opening }: Pick<Visit, 'req' | 'opening'>,
    idleMs: number,
    onStalled: () => void,
  ) {
    const length = req.headers['content-length'];
    this.length = length === undefined ? undefined : Number(length);
    this.#req = req;
    this.#opening = opening;
    this.#idleMs = idleMs;
    this.#onStalled = onStalled;
  }

  start(sink: BodySink): void {
    this.#sink = sink;
    this.#req.on('data', this.#take);
    this.#req.once('end', this.#finish);
    if (this.#opening !== undefined) sink.onPart(this.#opening.take());
    // That may have been enough for the origin, or one byte too many.
    if (!this.#isHeld()) this.resume();
  }

  pause(): void {
    this.#paused = true;
    this.#stopTimer();
    this.#req.pause();
  }

  resume(): void {
    this.#paused = false;
    // All of it may have been read for its opening. Node can say so even to who has paused it.
    if (this.#req.readableEnded) {
      this.#finish();
      return;
    }
    this.#timer ??= setTimeout(this.#onStalled, this.#idleMs);
    this.#req.resume();
  }

  stop(): void {
    this.#sink = undefined;
    this.#stopTimer();
    this.#req.off('data', this.#take);
    this.#req.off('end', this.#finish);
  }

  #isHeld(): boolean {
    return this.#paused || this.#sink === undefined;
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
