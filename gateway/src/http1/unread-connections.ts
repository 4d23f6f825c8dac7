import type { Socket } from 'node:net';
import type { ServerParts } from '../listen/accept.ts';
import { type Reader, readerOf } from '../listen/unread-answers.ts';

interface Watched {
  readonly reader: Reader;
  /** `bytesWritten` of the socket at the last look. */
  bytesWritten: number;
}

/**
 * Counts the connections of HTTP/1.1 whose visitor does not read. Such a connection holds the beginning of one answer
 * in memory until its time limit. All connections are looked at together, at regular times: nearly all answers are read
 * at once, so counting each of them would be more expensive.
 */
export class UnreadConnections {
  readonly #parts: Pick<ServerParts, 'limits' | 'accept'>;
  readonly #watched = new Map<Socket, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Pick<ServerParts, 'limits' | 'accept'>) {
    this.#parts = parts;
  }

  /** Looks at the connection until it closes. Connections of trusted proxies are not counted. */
  watch(socket: Socket): void {
    const { accept, limits } = this.#parts;
    const reader = readerOf(socket, accept);
    if (reader === undefined) return;
    this.#watched.set(socket, { reader, bytesWritten: 0 });
    socket.once('close', () => this.#forget(socket));
    this.#timer ??= setInterval(this.#look, limits.connectionsCheckingIntervalMs);
    this.#timer.unref();
  }

  readonly #look = (): void => {
    const { unread } = this.#parts.accept;
    for (const [socket, watched] of this.#watched) {
      // A connection that was cut closes only later.
      if (socket.writableLength === 0 || socket.destroyed) {
        unread.forget(socket);
        continue;
      }
      const { bytesWritten } = socket;
      if (watched.bytesWritten !== bytesWritten) unread.forget(socket);
      else if (!unread.has(socket)) unread.add(socket, watched.reader);
      watched.bytesWritten = bytesWritten;
    }
  };

  #forget(socket: Socket): void {
    this.#parts.accept.unread.forget(socket);
    this.#watched.delete(socket);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
