import { Readable } from 'node:stream';
import { isHttp10, type VisitorRequest, type VisitorResponse } from '../message.ts';

/**
 * The body of a visitor's request, as the origin's client reads it. Only one part is ever in memory:
 * the visitor is read no faster than the origin takes.
 *
 * It stands between the two because undici destroys the stream that it was given, and destroying an
 * IncomingMessage loses the connection on which the visitor waits for an answer.
 */
export class RequestBody extends Readable {
  readonly #req: VisitorRequest;
  readonly #onStalled: () => void;
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** `onStalled` is called when the origin waits for a part and none comes for `idleMs`. */
  constructor(req: VisitorRequest, idleMs: number, onStalled: () => void) {
    super({ highWaterMark: 64 * 1024 });
    this.#req = req;
    this.#idleMs = idleMs;
    this.#onStalled = onStalled;
    req.pause();
    req.on('data', this.#take);
    req.once('end', this.#finish);
  }

  override _read(): void {
    if (this.#timer === undefined) this.#timer = setTimeout(this.#onStalled, this.#idleMs);
    else this.#timer.refresh();
    this.#req.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#detach();
    callback(error);
  }

  readonly #take = (part: Buffer): void => {
    if (this.push(part)) {
      this.#timer?.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#req.pause();
  };

  readonly #finish = (): void => {
    this.#detach();
    this.push(null);
  };

  #detach(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#req.off('data', this.#take);
    this.#req.off('end', this.#finish);
  }
}

/** RFC 9110 section 10.1.1: tells a visitor who asked first that the upload is wanted. */
export function inviteBody(req: VisitorRequest, res: VisitorResponse): void {
  if (req.headers.expect !== undefined && !isHttp10(req)) res.writeContinue();
}
