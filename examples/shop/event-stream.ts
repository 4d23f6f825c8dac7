import type { ServerResponse } from 'node:http';

const MAX_STREAMS = 200;
/** A reader with more unread bytes than this is disconnected. */
const MAX_UNSENT_BYTES = 64 * 1024;

/** Serves `GET /events`: sends one Server-Sent Event a second to every reader. */
export class EventStream {
  readonly #readers = new Set<ServerResponse>();
  readonly #timer: NodeJS.Timeout;
  #id = 0;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#tick(), everyMs).unref();
  }

  /** Adds a reader. Returns false when there are too many readers. */
  add(response: ServerResponse): boolean {
    if (this.#readers.size >= MAX_STREAMS) return false;
    this.#readers.add(response);
    response.once('close', () => this.#readers.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(': welcome\n\n');
    return true;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const response of this.#readers) response.end();
  }

  #tick(): void {
    this.#id += 1;
    const data = JSON.stringify({ visitors: this.#readers.size });
    for (const response of this.#readers) {
      if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
      else response.write(`id: ${this.#id}\nevent: tick\ndata: ${data}\n\n`);
    }
  }
}
