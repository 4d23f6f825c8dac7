import type { DeadlineTicks } from '../../base/event-loop.ts';
import type { AnswerHandler, Lane, OriginError, OriginExchange, OriginRequest } from '../origin.ts';

export type OriginTicks = DeadlineTicks<'connect' | 'head' | 'body'>;

/**
 * One request and its connection. A caller can still have this object when the request has already given back the
 * connection. Then the object must not affect the next request on that connection.
 */
export class Exchange implements OriginExchange {
  readonly lane: Lane;
  readonly request: OriginRequest;
  readonly handler: AnswerHandler;
  /** The connection of the exchange. Undefined when the exchange has ended. */
  connection: OriginExchange | undefined;
  #isAborted = false;

  constructor(lane: Lane, request: OriginRequest, handler: AnswerHandler) {
    this.lane = lane;
    this.request = request;
    this.handler = handler;
  }

  abort(): void {
    this.#isAborted = true;
    this.connection?.abort();
  }

  pause(): void {
    this.connection?.pause();
  }

  resume(): void {
    this.connection?.resume();
  }

  /** Ends an exchange that has no connection yet. */
  refuse(error: OriginError): void {
    if (!this.#isAborted) this.handler.onError(error);
  }
}
