import type { BodyOpening, Visit } from '../arrive/arrive.ts';
import type { GatewayLimits } from '../base/limits.ts';
import { keptTrailers } from './proxy-headers.ts';
import {
  asksForContinue,
  inviteBody,
  type VisitorRequest,
  type VisitorResponse,
} from '../message/message.ts';
import type { BodySink, RequestBody } from '../origin/origin.ts';

type UploadLimits = Pick<GatewayLimits, 'uploadIdleMs' | 'continueMs'>;

export interface BodyListener {
  /** The whole body was passed on. */
  onBodyWhole(): void;
  /** The origin waits, and the visitor has sent nothing for `uploadIdleMs`. */
  onBodyStalled(): void;
}

/**
 * The body of a visitor's request on its way to the origin. It is read only as fast as the origin accepts it, so the
 * gateway buffers no bytes. The request is never destroyed, because the visitor still waits for an answer on its
 * connection.
 */
export class VisitorBody implements RequestBody {
  readonly length: number | undefined;
  /** Whether the whole body was passed on. */
  isSent = false;
  readonly #req: VisitorRequest;
  readonly #res: VisitorResponse;
  readonly #listener: BodyListener;
  readonly #limits: UploadLimits;
  #sink: BodySink | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #opening: BodyOpening | undefined;
  #isPaused = false;
  /** The visitor waits for a 100 (Continue), and the origin has not said yet whether it wants the body. */
  #awaitsContinue: boolean;

  constructor(visit: Visit, limits: UploadLimits, listener: BodyListener) {
    const { req, res, opening } = visit;
    const length = req.headers['content-length'];
    this.length = length === undefined ? undefined : Number(length);
    this.#req = req;
    this.#res = res;
    this.#opening = opening;
    this.#awaitsContinue = asksForContinue(req, visit.hasBody);
    this.#limits = limits;
    this.#listener = listener;
  }

  start(sink: BodySink): void {
    this.#sink = sink;
    if (this.#awaitsContinue) this.#timer = setTimeout(this.invite, this.#limits.continueMs);
    else this.#begin(sink);
  }

  /** Called when the origin asks for the body, or has not answered in time (RFC 9110 section 10.1.1). */
  readonly invite = (): void => {
    if (!this.#awaitsContinue || this.#sink === undefined) return;
    this.#awaitsContinue = false;
    this.#stopTimer();
    this.#begin(this.#sink);
  };

  /** Called when the origin answers without asking for the body. So the visitor is not asked for the body either. */
  decline(): void {
    if (this.#awaitsContinue) this.stop();
  }

  #begin(sink: BodySink): void {
    inviteBody(this.#req, this.#res);
    this.#req.on('data', this.#take);
    this.#req.once('end', this.#finish);
    if (this.#opening !== undefined) sink.onPart(this.#opening.take());
    // The opening may have filled the origin's buffer, or may be longer than the announced body.
    if (!this.#isHeld()) this.resume();
  }

  pause(): void {
    this.#isPaused = true;
    this.#stopTimer();
    this.#req.pause();
  }

  resume(): void {
    this.#isPaused = false;
    // The whole body may have been read as its opening. Node can report the end even while the request is paused.
    if (this.#req.readableEnded) {
      this.#finish();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#listener.onBodyStalled();
    }, this.#limits.uploadIdleMs);
    this.#req.resume();
  }

  stop(): void {
    this.#sink = undefined;
    this.#stopTimer();
    this.#req.off('data', this.#take);
    this.#req.off('end', this.#finish);
  }

  #isHeld(): boolean {
    return this.#isPaused || this.#sink === undefined;
  }

  readonly #take = (part: Buffer): void => {
    this.#timer?.refresh();
    this.#sink?.onPart(part);
  };

  readonly #finish = (): void => {
    const sink = this.#sink;
    this.stop();
    if (sink === undefined) return;
    this.isSent = true;
    sink.onPartsEnd(keptTrailers(this.#req.rawTrailers).flat());
    this.#listener.onBodyWhole();
  };

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
