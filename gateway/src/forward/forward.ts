import type { Visit } from '../arrive/arrive.ts';
import { callAtEndOfTurn, type EndOfTurnListener } from '../base/event-loop.ts';
import type { ReportingForward, ForwardPorts } from './forward-ports.ts';
import { HeldBackRest, serveHeldBack } from './held-back.ts';
import { BUSY, ORIGIN_FAILURES, type OriginFailure, STALLED } from './origin-failure.ts';
import {
  CONTENT_LENGTH,
  headersForVisitor,
  interimHeadersForVisitor,
  requestFor,
  keptTrailers,
  withoutNamed,
} from './proxy-headers.ts';
import { type BodyListener, VisitorBody } from './request-body.ts';
import { brokenStatus } from '../http1/node-server.ts';
import { failureAnswer } from '../judge/failure-answer.ts';
import { logVisitorGone, VISITOR_GONE } from '../judge/open-event.ts';
import type { ForwardPlan } from '../judge/request-plan.ts';
import type { Underway } from '../listen/connection.ts';
import { isHttp10 } from '../message/message.ts';
import { linger, serve } from '../message/own-answer.ts';
import type { AnswerHandler, Lane, Origin, OriginError, OriginExchange } from '../origin/origin.ts';
import { REPEATABLE } from '../origin/origin.ts';

/** Sends an admitted request to its origin and the answer to the visitor, both as streams with back-pressure. */
export function createForward(ports: ForwardPorts): ReportingForward {
  return (visit, plan, onEnd) => {
    new Exchange(ports, visit, plan, onEnd).start();
  };
}

const NO_BYTES = Buffer.alloc(0);
/** A last part of at most this size is copied and written at the end of the turn. A larger one is written at once. */
const MAX_COPIED_BYTES = 16 * 1024;

/**
 * One request at the origin. The visitor's side is `waiting` until the origin's final header section comes, `answering`
 * until the gateway has the whole answer, `ending` until the answer is written, and then `done`. The origin's side may
 * end later.
 */
class Exchange implements AnswerHandler, BodyListener, Underway, EndOfTurnListener {
  readonly #ports: ForwardPorts;
  readonly #visit: Visit;
  readonly #plan: ForwardPlan;
  readonly #onEnd: () => void;
  #phase: 'waiting' | 'answering' | 'ending' | 'done' = 'waiting';
  #origin: Origin;
  #originExchange: OriginExchange | undefined;
  #body: VisitorBody | undefined;
  #heldBack: HeldBackRest | undefined;
  #isHeadHeld = false;
  /** True while writes are held back. They go out together after all bytes of one read were handled. */
  #isCorked = false;
  #isFull = false;
  #lastPart: Buffer = NO_BYTES;
  #attempts = 0;
  #sendsTrailers = false;

  constructor(ports: ForwardPorts, visit: Visit, plan: ForwardPlan, onEnd: () => void) {
    this.#ports = ports;
    this.#onEnd = onEnd;
    this.#visit = visit;
    this.#plan = plan;
    this.#origin = visit.site.origins.next();
  }

  start(): void {
    const { req, connection } = this.#visit;
    connection.underway.add(this);
    // Node announces a chunked request before its parser has read all bytes that came (node-server.ts).
    if (req.headers['transfer-encoding'] !== undefined) callAtEndOfTurn(this);
    else this.#begin();
  }

  #begin(): void {
    const { hasBody } = this.#visit;
    if (hasBody) this.#body = new VisitorBody(this.#visit, this.#ports.limits, this);
    this.#send(hasBody ? 'upload' : 'plain');
  }

  #beginUnlessBroken(): void {
    const { req, connection } = this.#visit;
    const refusedWith = brokenStatus(req.socket);
    if (refusedWith === undefined) {
      this.#begin();
      return;
    }
    // The answer to the parser's refusal was already sent and counted.
    this.#phase = 'done';
    this.#plan.event?.record(refusedWith);
    this.#onEnd();
    connection.underway.delete(this);
  }

  #send(lane: Lane): void {
    this.#attempts++;
    this.#plan.event?.noteSent(this.#body !== undefined);
    const request = requestFor(this.#visit, this.#plan, this.#body);
    this.#originExchange = this.#origin.send(lane, request, this);
    if (this.#originExchange === undefined) this.#fail(BUSY, 'no free connection');
  }

  /** Called when the visitor has gone. Cancels the request at the origin. */
  abandon(): void {
    if (this.#phase === 'done') return;
    this.#end('aborted', VISITOR_GONE);
    logVisitorGone(this.#ports.log, this.#visit);
    this.#originExchange?.abort();
  }

  onInformational(status: number, fields: readonly string[]): void {
    const { req, res } = this.#visit;
    if (this.#phase !== 'waiting') return;
    // Only a visitor who waits for a 100 may get it (RFC 9110 section 15.2.1). `invite` checks whether the visitor
    // waits.
    if (status === 100) this.#body?.invite();
    else if (!isHttp10(req)) res.writeInterim(status, interimHeadersForVisitor(fields));
  }

  onHead(status: number, reason: string, fields: readonly string[]): void {
    this.#visit.site.origins.report(this.#origin, true);
    if (this.#phase !== 'waiting') return;
    this.#body?.decline();
    const { req, res } = this.#visit;
    if (status > 599 && req.httpVersionMajor === 2) {
      // RFC 9110 section 15 treats a status above 599 as a 5xx. Node cannot write such a status over HTTP/2.
      this.#originExchange?.abort();
      this.#fail(ORIGIN_FAILURES.malformed, `status ${status}`);
      return;
    }
    if (serveHeldBack(this.#ports, this.#visit, this.#plan, status, fields)) {
      this.#end('served');
      this.#heldBack = new HeldBackRest(this.#ports, this.#originExchange, this.#body, this.#onEnd);
      return;
    }
    const isBodiless = req.method === 'HEAD' || status === 204 || status === 304;
    this.#sendsTrailers = !isBodiless && !isHttp10(req);
    const headers = headersForVisitor(fields, this.#plan.additions, this.#sendsTrailers);
    // RFC 9110 section 8.6: a 204 must not have a Content-Length, even if the origin sent one.
    res.writeHead(status, reason, status === 204 ? withoutNamed(headers, CONTENT_LENGTH) : headers);
    this.#plan.event?.noteAnswer(status, fields);
    this.#phase = 'answering';
    this.#isHeadHeld = true;
    if (isBodiless) this.#endLater(NO_BYTES);
  }

  onData(part: Buffer, isLast: boolean): void {
    this.#heldBack?.onData(part);
    if (this.#phase !== 'answering') return;
    this.#isHeadHeld = false;
    if (part.length > 0) this.#plan.event?.bodyBegins();
    if (isLast && part.length <= MAX_COPIED_BYTES) {
      // The header section that was held back and this part go out in one write.
      this.#endLater(Buffer.from(part));
      return;
    }
    const { req, res } = this.#visit;
    if (!this.#isCorked) req.socket.cork();
    this.#isCorked = true;
    this.#lastPart = isLast ? part : NO_BYTES;
    if (isLast) this.#finish();
    else this.#isFull = !res.write(part);
  }

  #endLater(part: Buffer): void {
    this.#phase = 'ending';
    this.#isHeadHeld = false;
    this.#lastPart = part;
    callAtEndOfTurn(this);
  }

  /** Called after everything that came in this turn was read. Now the answer is complete, or the request can begin. */
  onEndOfTurn(): void {
    if (this.#phase === 'ending') this.#finish();
    else if (this.#phase === 'waiting') this.#beginUnlessBroken();
  }

  #finish(): void {
    const { res } = this.#visit;
    if (this.#lastPart.length > 0) res.end(this.#lastPart);
    else res.end();
    this.#lastPart = NO_BYTES;
    this.#end('forwarded');
    this.#dropUpload();
  }

  onFlush(): boolean {
    const { req, res } = this.#visit;
    if (this.#isHeadHeld && this.#phase === 'answering') {
      // The body has not come yet, so the header section goes out alone.
      this.#isHeadHeld = false;
      // Node writes the header section in the encoding of the socket. The default is UTF-8.
      req.socket.setDefaultEncoding('latin1');
      res.flushHeaders();
    }
    if (!this.#isCorked) return true;
    this.#isCorked = false;
    req.socket.uncork();
    if (res.writableLength === 0) return true;
    if (this.#isFull && this.#phase === 'answering') {
      this.#originExchange?.pause();
      res.once('drain', () => this.#originExchange?.resume());
    }
    return false;
  }

  onEnd(trailers: readonly string[]): void {
    this.#heldBack?.end();
    if (this.#phase === 'ending') return;
    if (this.#phase === 'answering') {
      const { res } = this.#visit;
      if (this.#sendsTrailers && trailers.length > 0) res.addTrailers(keptTrailers(trailers));
      res.end();
      this.#end('forwarded');
    }
    this.#dropUpload();
  }

  onError({ kind, detail }: OriginError): void {
    this.#heldBack?.end();
    if (kind === 'connect') this.#visit.site.origins.report(this.#origin, false);
    // When Guard shuts down and cuts both sides, this event can come before the visitor's side reports its end.
    if (this.#phase === 'waiting' && this.#visit.req.socket.destroyed) this.abandon();
    if (this.#phase === 'ending' || this.#phase === 'done') {
      this.#dropUpload();
      return;
    }
    const failure = ORIGIN_FAILURES[kind];
    if (this.#phase === 'waiting' && this.#tryAgain(failure)) return;
    this.#fail(failure, detail);
  }

  /**
   * Tries once more when a second try cannot repeat an effect of the request: after a stale connection, or at another
   * origin.
   */
  #tryAgain({ retryAt }: OriginFailure): boolean {
    const { req, hasBody, site } = this.#visit;
    if (retryAt === 'no') return false;
    if (retryAt === 'same') {
      if (hasBody || this.#attempts > 1 || !REPEATABLE.has(req.method ?? '')) return false;
      this.#send('retry');
      return true;
    }
    if (this.#attempts >= site.origins.count) return false;
    this.#origin = site.origins.next();
    this.#send(hasBody ? 'upload' : 'plain');
    return true;
  }

  #fail({ status, reason }: OriginFailure, detail: string): void {
    const { req, res, site } = this.#visit;
    const { metrics, log, limits } = this.#ports;
    const answering = this.#phase === 'answering';
    metrics.count('guard_gateway_origin_errors_total', answering ? 'truncated' : reason);
    // A truncated answer must not look like a complete answer. So the connection is cut.
    const failure = answering || res.headersSent ? undefined : failureAnswer(this.#visit, status);
    const reference = failure?.reference ?? '';
    log('warn', 'gateway_origin_failed', { site: site.name, reason, answering, detail, reference });
    this.#end('failed', status, reference);
    this.#body?.stop();
    if (failure === undefined) req.socket.destroy();
    else serve(req, res, failure.answer, limits.lingerMs);
  }

  onBodyWhole(): void {
    this.#plan.event?.noteBodySent();
  }

  onBodyStalled(): void {
    if (this.#phase === 'ending' || this.#phase === 'done') return;
    const { req, res } = this.#visit;
    const isWaiting = this.#phase === 'waiting';
    this.#end('aborted', 408);
    this.#originExchange?.abort();
    if (isWaiting) serve(req, res, STALLED, this.#ports.limits.lingerMs);
    else req.socket.destroy();
  }

  /** Discards the rest of an upload that the origin answered before it had read all of it. */
  #dropUpload(): void {
    if (this.#body === undefined) return;
    this.#body.stop();
    linger(this.#visit.req, this.#ports.limits.lingerMs);
  }

  /** `status` is what the visitor gets when no header section has gone out. After `served`, HeldBackRest calls onEnd. */
  #end(
    outcome: 'forwarded' | 'served' | 'failed' | 'aborted',
    status?: number,
    reference?: string,
  ): void {
    if (this.#phase !== 'done' && outcome !== 'served') this.#onEnd();
    this.#phase = 'done';
    this.#plan.event?.record(status, reference);
    this.#visit.connection.underway.delete(this);
    this.#ports.metrics.count('guard_gateway_requests_total', outcome);
  }
}
