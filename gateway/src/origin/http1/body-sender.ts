import type { Socket } from 'node:net';
import type { BodySink, RequestBody } from '../origin.ts';
import { trailerSection } from './request-head.ts';

/** Receives events about the progress of a request body. */
export interface BodySenderListener {
  /** Called when `isBlocked` has changed. */
  onBodyBlockedChanged(): void;
  onBodySent(): void;
  /** The body differs from the announced body, so the request cannot be completed. */
  onBodyFault(fault: string): void;
}

const LAST_CHUNK = '0\r\n';
const CRLF = '\r\n';

/** Writes one request body in the framing that the header section announced (RFC 9112 section 7.1). */
export class BodySender implements BodySink {
  /** True while the origin accepts no more bytes. While it is false, the visitor has to send the next part. */
  isBlocked = false;
  readonly #socket: Socket;
  readonly #body: RequestBody;
  readonly #listener: BodySenderListener;
  #sentBytes = 0;
  #isOver = false;

  constructor(socket: Socket, body: RequestBody, listener: BodySenderListener) {
    this.#socket = socket;
    this.#body = body;
    this.#listener = listener;
  }

  /** Starts the body. The header section was written before and is held back until the end of this turn. */
  start(): void {
    this.#body.start(this);
  }

  onPart(part: Buffer): void {
    if (this.#isOver || part.length === 0) return;
    const { length } = this.#body;
    this.#sentBytes += part.length;
    if (length !== undefined && this.#sentBytes > length) {
      this.#fail();
      return;
    }
    const hasRoom = length === undefined ? this.#writeChunk(part) : this.#socket.write(part);
    if (hasRoom) return;
    this.#body.pause();
    this.isBlocked = true;
    this.#listener.onBodyBlockedChanged();
  }

  onPartsEnd(trailers: readonly string[]): void {
    if (this.#isOver) return;
    if (this.#body.length === undefined) {
      const section = trailerSection(trailers);
      if (section === undefined) {
        this.#fail();
        return;
      }
      this.#socket.write(LAST_CHUNK + section, 'latin1');
    } else if (this.#sentBytes !== this.#body.length) {
      this.#fail();
      return;
    }
    this.#isOver = true;
    this.#listener.onBodySent();
  }

  /** Called when the socket can accept bytes again. */
  resume(): void {
    if (this.#isOver || !this.isBlocked) return;
    this.isBlocked = false;
    this.#listener.onBodyBlockedChanged();
    this.#body.resume();
  }

  /** Stops the body. The rest is not needed. */
  stop(): void {
    this.#isOver = true;
    this.#body.stop();
  }

  #writeChunk(part: Buffer): boolean {
    this.#socket.cork();
    this.#socket.write(part.length.toString(16) + CRLF, 'latin1');
    this.#socket.write(part);
    const hasRoom = this.#socket.write(CRLF, 'latin1');
    this.#socket.uncork();
    return hasRoom;
  }

  #fail(): void {
    this.stop();
    this.#listener.onBodyFault('the body is not what its header section announced');
  }
}
