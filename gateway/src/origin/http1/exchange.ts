import type { AnswerHandler, Lane, OriginError, OriginExchange, OriginRequest } from '../origin.ts';

/**
 * One request and the connection that it is on. It outlives its time there, as long as somebody holds
 * it, and must not reach into the request that has the connection next.
 */
export class Exchange implements OriginExchange {
  readonly lane: Lane;
  readonly request: OriginRequest;
  readonly handler: AnswerHandler;
  /** Undefined once it is over. */
  connection: OriginExchange | undefined;
  #aborted = false;

  constructor(lane: Lane, request: OriginRequest, handler: AnswerHandler) {
    this.lane = lane;
    this.request = request;
    this.handler = handler;
  }

  abort(): void {
    this.#aborted = true;
    this.connection?.abort();
  }

  pause(): void {
    this.connection?.pause();
  }

  resume(): void {
    this.connection?.resume();
  }

  /** Ends it before it had a connection. */
  refuse(error: OriginError): void {
    if (!this.#aborted) this.handler.onError(error);
  }
}
