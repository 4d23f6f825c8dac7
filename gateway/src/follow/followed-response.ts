import type { VisitorResponse } from '../message/message.ts';
import type { FollowedRequest } from './followed-request.ts';

/** An answer that tells when it begins and when it ends. */
export class FollowedResponse implements VisitorResponse {
  readonly #res: VisitorResponse;
  readonly #request: FollowedRequest;

  constructor(res: VisitorResponse, request: FollowedRequest) {
    this.#res = res;
    this.#request = request;
  }

  get headersSent(): boolean {
    return this.#res.headersSent;
  }

  get writableLength(): number {
    return this.#res.writableLength;
  }

  writeHead(status: number, reasonOrFields: string | string[], after?: string[]): unknown {
    if (typeof reasonOrFields === 'string') {
      const fields = this.#request.answering(status, after ?? []);
      return this.#res.writeHead(status, reasonOrFields, fields);
    }
    return this.#res.writeHead(status, this.#request.answering(status, reasonOrFields));
  }

  flushHeaders(): void {
    this.#res.flushHeaders();
  }

  write(part: Buffer): boolean {
    return this.#res.write(part);
  }

  end(part?: Buffer): unknown {
    // Node tells an absent part from one that is undefined.
    const ended = part === undefined ? this.#res.end() : this.#res.end(part);
    this.#request.ended();
    return ended;
  }

  addTrailers(trailers: readonly [string, string][]): void {
    this.#res.addTrailers(trailers);
  }

  writeInterim(status: number, fields: readonly string[]): void {
    this.#res.writeInterim(status, fields);
  }

  once(event: 'drain', listener: () => void): unknown {
    return this.#res.once(event, listener);
  }
}
