import type { IncomingHttpHeaders } from 'node:http';
import type { Log, Metrics } from '@guard/config/contract/ports';
import type { Dispatcher } from 'undici';
import type { Underway } from '../listen/connection.ts';
import { linger, plainAnswer, serve } from '../enforce/enforce.ts';
import type { GatewayLimits } from '../limits.ts';
import { isHttp10 } from '../message.ts';
import type { Lane, LaneHandler, Origin } from '../origin/origin.ts';
import { type OriginFailure, originFailure } from './origin-failure.ts';
import {
  headersForOrigin,
  headersForVisitor,
  type RawFields,
  trailersForVisitor,
  withoutNamed,
} from './proxy-headers.ts';
import { inviteBody, RequestBody } from './request-body.ts';
import type { Onward, Passage, Visit } from '../visit.ts';

export interface ForwardPorts {
  readonly metrics: Metrics;
  readonly log: Log;
  readonly limits: GatewayLimits;
}

/** Sends an admitted request to its origin and the answer back, as streams under back-pressure. */
export function createForward(ports: ForwardPorts): Onward {
  return (visit, passage) => {
    new Exchange(ports, visit, passage).start();
  };
}

/** Methods that may be sent twice (RFC 9110 section 9.2.2) and have no body to send again. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const CONTENT_LENGTH: ReadonlySet<string> = new Set(['content-length']);
const VISITOR_GONE = new Error('the visitor has gone');
const UPLOAD_STALLED = new Error('the upload stalled');

function released(): void {
  // Occupies no lane.
}

/**
 * One request at the origin. The visitor's side goes from `waiting` to `answering`, at the origin's
 * final header section, to `done`; the origin's side ends with `release`, which may come later.
 */
class Exchange implements LaneHandler, Underway {
  release: () => void = released;

  readonly #ports: ForwardPorts;
  readonly #visit: Visit;
  readonly #passage: Passage;
  #phase: 'waiting' | 'answering' | 'done' = 'waiting';
  #origin: Origin;
  #controller: Dispatcher.DispatchController | undefined;
  #body: RequestBody | undefined;
  /** Whether the origin has begun to answer this attempt. */
  #answerBegun = false;
  #bodyBegun = false;
  #attempts = 0;
  #trailers = false;

  constructor(ports: ForwardPorts, visit: Visit, passage: Passage) {
    this.#ports = ports;
    this.#visit = visit;
    this.#passage = passage;
    this.#origin = visit.site.origins.next();
  }

  start(): void {
    const { req, res, connection, hasBody } = this.#visit;
    connection.underway.add(this);
    if (!hasBody) {
      this.#dispatch('plain');
      return;
    }
    inviteBody(req, res);
    this.#body = new RequestBody(req, this.#ports.limits.uploadIdleMs, () => {
      this.#stalled();
    });
    this.#dispatch('upload');
  }

  #dispatch(lane: Lane): void {
    const { req, target } = this.#visit;
    this.#attempts++;
    const accepted = this.#origin.dispatch(
      lane,
      {
        path: target,
        method: req.method ?? 'GET',
        headers: headersForOrigin(this.#visit, this.#passage),
        body: this.#body ?? null,
      },
      this,
    );
    if (!accepted) this.#fail({ status: 503, reason: 'busy', again: 'no' }, 'no free connection');
  }

  /** The visitor has gone: nobody's failure but theirs, so it is logged as 499 and the origin let off. */
  abandon(): void {
    if (this.#phase === 'done') return;
    this.#end('aborted');
    this.#ports.log('info', 'gateway_visitor_gone', { site: this.#visit.site.name, status: 499 });
    this.#controller?.abort(VISITOR_GONE);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#phase === 'done') controller.abort(VISITOR_GONE);
  }

  onResponseStarted(): void {
    this.#answerBegun = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    if (this.#phase !== 'waiting') return;
    if (status < 200) {
      this.#inform(status, headers);
      return;
    }
    const { req, res } = this.#visit;
    const bodiless = req.method === 'HEAD' || status === 204 || status === 304;
    this.#trailers = !bodiless && !isHttp10(req);
    const fields = headersForVisitor(
      rawFields(controller.rawHeaders),
      this.#passage.additions,
      this.#trailers,
    );
    // RFC 9110 section 8.6: a 204 has no Content-Length, whatever the origin thinks.
    const sent = status === 204 ? withoutNamed(fields, CONTENT_LENGTH) : fields;
    res.writeHead(status, reasonPhrase(statusMessage), sent);
    this.#phase = 'answering';
    if (bodiless) {
      res.end();
      this.#end('forwarded');
    } else {
      process.nextTick(flushHead, this);
    }
  }

  /** A header section whose body is still to come goes out alone; else both share one write. */
  flushHead(): void {
    if (this.#phase === 'answering' && !this.#bodyBegun) this.#visit.res.flushHeaders();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase !== 'answering') return;
    this.#bodyBegun = true;
    const { res } = this.#visit;
    if (res.write(chunk)) return;
    controller.pause();
    res.once('drain', () => {
      controller.resume();
    });
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#release();
    if (this.#phase === 'answering') {
      const { res } = this.#visit;
      const trailers = rawFields(controller.rawTrailers);
      if (this.#trailers && trailers.length > 0) res.addTrailers(trailersForVisitor(trailers));
      res.end();
      this.#end('forwarded');
    }
    this.#dropUpload();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#release();
    if (this.#phase === 'done') {
      this.#dropUpload();
      return;
    }
    const failure = originFailure(error);
    if (this.#phase === 'waiting' && this.#tryAgain(failure)) return;
    this.#fail(failure, error.message);
  }

  /** One more try where nothing can have happened twice: a stale connection, or another origin. */
  #tryAgain(failure: OriginFailure): boolean {
    const { req, hasBody, site } = this.#visit;
    if (hasBody || this.#answerBegun || !REPEATABLE.has(req.method ?? '')) return false;
    if (failure.again === 'same' && this.#attempts === 1) {
      this.#dispatch('retry');
      return true;
    }
    if (failure.again === 'other' && this.#attempts < site.origins.count) {
      this.#origin = site.origins.next();
      this.#dispatch('plain');
      return true;
    }
    return false;
  }

  #fail({ status, reason }: OriginFailure, detail: string): void {
    const { req, res, site } = this.#visit;
    const { metrics, log, limits } = this.#ports;
    const answering = this.#phase === 'answering';
    metrics.count('guard_gateway_origin_errors_total', answering ? 'truncated' : reason);
    log('warn', 'gateway_origin_failed', { site: site.name, reason, answering, detail });
    this.#end('failed');
    this.#body?.destroy();
    // A truncated answer must not look like a whole one: the connection is cut in the middle of it.
    if (answering || res.headersSent) req.socket.destroy();
    else serve(req, res, originAnswer(status), limits.lingerMs);
  }

  #stalled(): void {
    if (this.#phase === 'done') return;
    const { req, res } = this.#visit;
    const { lingerMs } = this.#ports.limits;
    const waiting = this.#phase === 'waiting';
    this.#end('aborted');
    this.#controller?.abort(UPLOAD_STALLED);
    this.#body?.destroy();
    if (waiting) {
      serve(req, res, plainAnswer(408, 'The upload stalled.', 'Connection', 'close'), lingerMs);
    } else {
      req.socket.destroy();
    }
  }

  #inform(status: number, { link }: IncomingHttpHeaders): void {
    const { req, res } = this.#visit;
    if (status !== 103 || link === undefined || isHttp10(req)) return;
    try {
      res.writeEarlyHints({ link });
    } catch {
      // Hints are only hints: a Link that Node will not write is left out.
    }
  }

  #release(): void {
    this.release();
    this.release = released;
  }

  /** What is left of an upload that the origin answered without reading it. */
  #dropUpload(): void {
    if (this.#body === undefined) return;
    this.#body.destroy();
    linger(this.#visit.req, this.#ports.limits.lingerMs);
  }

  #end(outcome: 'forwarded' | 'failed' | 'aborted'): void {
    this.#phase = 'done';
    this.#visit.connection.underway.delete(this);
    this.#ports.metrics.count('guard_gateway_requests_total', outcome);
  }
}

function flushHead(exchange: Exchange): void {
  exchange.flushHead();
}

function originAnswer(status: OriginFailure['status']) {
  switch (status) {
    case 502:
      return plainAnswer(502, 'The site cannot be reached.');
    case 503:
      return plainAnswer(503, 'The site is busy.', 'Retry-After', '1');
    case 504:
      return plainAnswer(504, 'The site took too long to answer.');
  }
}

function rawFields(raw: Dispatcher.DispatchController['rawHeaders']): RawFields {
  return Array.isArray(raw) ? raw : [];
}

/** The origin's own reason phrase where Node can write it; RFC 9112 section 4 lets it be left out. */
function reasonPhrase(phrase: string | undefined): string {
  return phrase !== undefined && /^[\t\x20-\x7e\x80-\xff]*$/.test(phrase) ? phrase : '';
}
