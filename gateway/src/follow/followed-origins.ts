import type { OriginTrace, RequestTrace } from '@guard/config/contract/tracing';
import { withoutNamed } from '../forward/proxy-headers.ts';
import { FieldList } from '../message/message.ts';
import type {
  AnswerHandler,
  Origin,
  OriginError,
  OriginExchange,
  Origins,
} from '../origin/origin.ts';

/** The origins of a site for one request. Every attempt is traced, and carries the trace's header fields. */
export function followOrigins(origins: Origins, trace: RequestTrace): Origins {
  const realOrigins = new WeakMap<Origin, Origin>();
  let attempts = 0;

  function follow(origin: Origin): Origin {
    const { address } = origin;
    // A span names a unix socket by its path.
    const place = address.kind === 'unix' ? { host: address.path, port: undefined } : address;
    return {
      address: origin.address,
      capacityOf: (lane) => origin.capacityOf(lane),
      send(lane, request, handler) {
        attempts++;
        const attempt = trace.sent(place, attempts);
        const answer = new FollowedAnswer(handler, attempt);
        const visitorFields = new FieldList(
          withoutNamed(request.visitorFields.values, attempt.replaced),
        );
        const gatewayFields = [
          ...withoutNamed(request.gatewayFields, attempt.replaced),
          ...attempt.fields,
        ];
        const exchange = origin.send(lane, { ...request, visitorFields, gatewayFields }, answer);
        if (exchange !== undefined) return abortable(exchange, answer);
        answer.endTrace('busy');
        return undefined;
      },
    };
  }

  return {
    count: origins.count,
    capacityOf: (lane) => origins.capacityOf(lane),
    next() {
      const origin = origins.next();
      const followedOrigin = follow(origin);
      realOrigins.set(followedOrigin, origin);
      return followedOrigin;
    },
    report(followedOrigin, wasReached) {
      origins.report(realOrigins.get(followedOrigin) ?? followedOrigin, wasReached);
    },
  };
}

/** After an abort the handler is not called any more, so the abort ends the attempt in the trace too. */
function abortable(exchange: OriginExchange, answer: FollowedAnswer): OriginExchange {
  return {
    abort() {
      answer.endTrace('aborted');
      exchange.abort();
    },
    pause() {
      exchange.pause();
    },
    resume() {
      exchange.resume();
    },
  };
}

class FollowedAnswer implements AnswerHandler {
  readonly #handler: AnswerHandler;
  readonly #trace: OriginTrace;
  #isOver = false;

  constructor(handler: AnswerHandler, trace: OriginTrace) {
    this.#handler = handler;
    this.#trace = trace;
  }

  endTrace(error: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#trace.ended(error);
  }

  onInformational(status: number, fields: readonly string[]): void {
    this.#handler.onInformational(status, fields);
  }

  onHead(status: number, reason: string, fields: readonly string[]): void {
    this.#trace.answered(status);
    this.#handler.onHead(status, reason, fields);
  }

  // The trace gets its report first: the handler may end the whole request, and an attempt must end before its request.
  onData(part: Buffer, isLast: boolean): void {
    if (isLast) this.endTrace(undefined);
    this.#handler.onData(part, isLast);
  }

  onFlush(): boolean {
    return this.#handler.onFlush();
  }

  onEnd(trailers: readonly string[]): void {
    this.endTrace(undefined);
    this.#handler.onEnd(trailers);
  }

  onError(error: OriginError): void {
    this.endTrace(error.kind);
    this.#handler.onError(error);
  }
}
