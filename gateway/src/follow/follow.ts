import type { RequestTrace, Tracing } from '@guard/config/contract/tracing';
import { pathOf, type Visit } from '../arrive/arrive.ts';
import { followOrigins } from './followed-origins.ts';
import type { Forward } from '../forward/forward-ports.ts';
import type { VisitorResponse, VisitorSocket } from '../message/message.ts';

/** Followed requests that have not ended, by their connection or HTTP/2 stream. */
const requestsBySocket = new WeakMap<VisitorSocket, Set<FollowedRequest>>();

/**
 * Follows a visit for its trace, and for the Server-Timing of its answer. The returned visit reports its own stages, so
 * the stages need no code for tracing.
 */
export function follow(
  visit: Visit,
  forward: Forward,
  tracing: Tracing | undefined,
  isTimed: boolean,
): { readonly visit: Visit; readonly forward: Forward } {
  const trace = tracing?.({
    method: visit.req.method ?? '',
    path: pathOf(visit.target),
    scheme: visit.client.scheme,
    host: visit.host,
    httpVersion: visit.req.httpVersion,
    site: visit.site.name,
    headers: visit.req.headers,
    trusted: visit.connection.trusted,
  });
  const times = isTimed ? new StageTimes() : undefined;
  const requests = requestsOn(visit.req.socket);
  const request = new FollowedRequest(trace, times, (endedRequest) =>
    requests.delete(endedRequest),
  );
  requests.add(request);
  const { site } = visit;
  return {
    visit: {
      ...visit,
      res: new FollowedResponse(visit.res, request),
      ...(trace?.ids && { trace: trace.ids }),
      site: trace ? { ...site, origins: followOrigins(site.origins, trace) } : site,
    },
    forward: (admittedVisit, plan) => {
      times?.noteForwarding();
      request.recordDecision(plan.decision, plan.requestId);
      forward(admittedVisit, plan);
    },
  };
}

/** When a visitor leaves early, the open requests end. Each connection has one listener for all of its requests. */
function requestsOn(socket: VisitorSocket): Set<FollowedRequest> {
  const openRequests = requestsBySocket.get(socket);
  if (openRequests !== undefined) return openRequests;
  const requests = new Set<FollowedRequest>();
  requestsBySocket.set(socket, requests);
  socket.once('close', () => {
    for (const request of requests) request.end();
  });
  return requests;
}

class StageTimes {
  readonly #arrivedAt = performance.now();
  #decidedAt: number | undefined;
  #isForwarded = false;

  noteDecision(): void {
    this.#decidedAt = performance.now();
  }

  noteForwarding(): void {
    this.#isForwarded = true;
  }

  /**
   * The value of Server-Timing: the milliseconds until the decision, and the milliseconds from the decision until the
   * answer began.
   */
  serverTiming(): string {
    const now = performance.now();
    const decidedAt = this.#decidedAt ?? now;
    const decide = `guard-decide;dur=${(decidedAt - this.#arrivedAt).toFixed(3)}`;
    return this.#isForwarded
      ? `${decide}, guard-origin;dur=${(now - decidedAt).toFixed(3)}`
      : decide;
  }
}

class FollowedRequest {
  readonly #trace: RequestTrace | undefined;
  readonly #times: StageTimes | undefined;
  readonly #onEnd: (request: FollowedRequest) => void;
  #isDecided = false;
  #status: number | undefined;
  #isOver = false;

  /** `onEnd` is called once, when the request has ended. */
  constructor(
    trace: RequestTrace | undefined,
    times: StageTimes | undefined,
    onEnd: (request: FollowedRequest) => void,
  ) {
    this.#trace = trace;
    this.#times = times;
    this.#onEnd = onEnd;
  }

  recordDecision(decision: string, requestId: string | undefined): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#times?.noteDecision();
    this.#trace?.decided(decision, requestId);
  }

  /**
   * Called when the header section of the answer goes out. Returns the fields of the answer. When times are measured,
   * they include Server-Timing.
   */
  beginAnswer(status: number, fields: string[]): string[] {
    // This has an effect only when the request was not forwarded: then the gateway itself answers it.
    this.recordDecision('served', undefined);
    this.#status = status;
    const times = this.#times?.serverTiming();
    return times === undefined ? fields : [...fields, 'Server-Timing', times];
  }

  /** Called when the answer is complete, or when no answer will come. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#trace?.ended(this.#status);
    this.#onEnd(this);
  }
}

/** An answer that reports when it begins and when it ends. */
class FollowedResponse implements VisitorResponse {
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

  writeHead(
    status: number,
    reasonOrFields: string | string[],
    fieldsAfterReason?: string[],
  ): unknown {
    if (typeof reasonOrFields === 'string') {
      const fields = this.#request.beginAnswer(status, fieldsAfterReason ?? []);
      return this.#res.writeHead(status, reasonOrFields, fields);
    }
    return this.#res.writeHead(status, this.#request.beginAnswer(status, reasonOrFields));
  }

  flushHeaders(): void {
    this.#res.flushHeaders();
  }

  write(part: Buffer): boolean {
    return this.#res.write(part);
  }

  end(part?: Buffer): unknown {
    // Node treats a missing argument and an argument `undefined` differently.
    const result = part === undefined ? this.#res.end() : this.#res.end(part);
    this.#request.end();
    return result;
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
