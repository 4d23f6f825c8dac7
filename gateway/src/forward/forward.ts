import type { Log, Metrics } from '@guard/config/contract/ports';
import type { Underway } from '../listen/connection.ts';
import { linger, plainAnswer, serve } from '../enforce/enforce.ts';
import { atEndOfTurn, type Waiting } from '../end-of-turn.ts';
import type { GatewayLimits } from '../limits.ts';
import { isHttp10 } from '../message.ts';
import type { AnswerHandler, Lane, Origin, OriginError, OriginExchange } from '../origin/origin.ts';
import { BUSY, ORIGIN_FAILURES, type OriginFailure } from './origin-failure.ts';
import {
  headersForOrigin,
  headersForVisitor,
  trailersForVisitor,
  withoutNamed,
} from './proxy-headers.ts';
import { inviteBody, VisitorBody } from './request-body.ts';
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
const NOTHING = Buffer.alloc(0);
const CONTENT_LENGTH: ReadonlySet<string> = new Set(['content-length']);

/**
 * One request at the origin. The visitor's side goes from `waiting` to `answering`, at the origin's
 * final header section, to `ending` when all of the answer is here, to `done`; the origin's side ends
 * with onEnd or onError, which may come later.
 */
class Exchange implements AnswerHandler, Underway, Waiting {
  readonly #ports: ForwardPorts;
  readonly #visit: Visit;
  readonly #passage: Passage;
  #phase: 'waiting' | 'answering' | 'ending' | 'done' = 'waiting';
  #origin: Origin;
  #sent: OriginExchange | undefined;
  #body: VisitorBody | undefined;
  #headHeld = false;
  #lastPart: Buffer = NOTHING;
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
      this.#send('plain');
      return;
    }
    inviteBody(req, res);
    this.#body = new VisitorBody(req, this.#ports.limits.uploadIdleMs, () => {
      this.#stalled();
    });
    this.#send('upload');
  }

  #send(lane: Lane): void {
    const { req, target } = this.#visit;
    this.#attempts++;
    const request = {
      method: req.method ?? 'GET',
      target,
      fields: headersForOrigin(this.#visit, this.#passage),
      body: this.#body,
    };
    this.#sent = this.#origin.send(lane, request, this);
    if (this.#sent === undefined) this.#fail(BUSY, 'no free connection');
  }

  /** The visitor has gone: nobody's failure but theirs, so it is logged as 499 and the origin let off. */
  abandon(): void {
    if (this.#phase === 'done') return;
    this.#end('aborted');
    this.#ports.log('info', 'gateway_visitor_gone', { site: this.#visit.site.name, status: 499 });
    this.#sent?.abort();
  }

  onInformational(status: number, fields: readonly string[]): void {
    const { req, res } = this.#visit;
    if (this.#phase !== 'waiting' || status !== 103 || isHttp10(req)) return;
    const link = valuesOf(fields, 'link');
    if (link.length === 0) return;
    try {
      res.writeEarlyHints({ link });
    } catch {
      // Hints are only hints: a Link that Node will not write is left out.
    }
  }

  onHead(status: number, reason: string, fields: readonly string[]): void {
    this.#visit.site.origins.report(this.#origin, true);
    if (this.#phase !== 'waiting') return;
    const { req, res } = this.#visit;
    const bodiless = req.method === 'HEAD' || status === 204 || status === 304;
    this.#trailers = !bodiless && !isHttp10(req);
    const kept = headersForVisitor(fields, this.#passage.additions, this.#trailers);
    // RFC 9110 section 8.6: a 204 has no Content-Length, whatever the origin thinks.
    res.writeHead(status, reason, status === 204 ? withoutNamed(kept, CONTENT_LENGTH) : kept);
    this.#phase = 'answering';
    this.#headHeld = true;
    if (bodiless) this.#endLater(NOTHING);
  }

  onData(part: Buffer, last: boolean): void {
    if (this.#phase !== 'answering') return;
    this.#headHeld = false;
    if (last) {
      // With a header section that was held back until now, it is one write.
      this.#endLater(part);
      return;
    }
    const { res } = this.#visit;
    if (res.write(part)) return;
    const sent = this.#sent;
    sent?.pause();
    res.once('drain', () => {
      sent?.resume();
    });
  }

  #endLater(part: Buffer): void {
    this.#phase = 'ending';
    this.#headHeld = false;
    this.#lastPart = part;
    atEndOfTurn(this);
  }

  /** All of the answer is here. */
  endOfTurn(): void {
    if (this.#phase !== 'ending') return;
    const { res } = this.#visit;
    if (this.#lastPart.length > 0) res.end(this.#lastPart);
    else res.end();
    this.#end('forwarded');
    this.#dropUpload();
  }

  /** A header section whose body is still to come goes out alone. */
  onFlush(): void {
    if (!this.#headHeld) return;
    this.#headHeld = false;
    if (this.#phase === 'answering') this.#visit.res.flushHeaders();
  }

  onEnd(trailers: readonly string[]): void {
    if (this.#phase === 'ending') return;
    if (this.#phase === 'answering') {
      const { res } = this.#visit;
      if (this.#trailers && trailers.length > 0) res.addTrailers(trailersForVisitor(trailers));
      res.end();
      this.#end('forwarded');
    }
    this.#dropUpload();
  }

  onError({ kind, detail }: OriginError): void {
    if (kind === 'connect') this.#visit.site.origins.report(this.#origin, false);
    if (this.#phase === 'ending' || this.#phase === 'done') {
      this.#dropUpload();
      return;
    }
    const failure = ORIGIN_FAILURES[kind];
    if (this.#phase === 'waiting' && this.#tryAgain(failure)) return;
    this.#fail(failure, detail);
  }

  /** One more try where nothing can have happened twice: a stale connection, or another origin. */
  #tryAgain(failure: OriginFailure): boolean {
    const { req, hasBody, site } = this.#visit;
    if (hasBody || !REPEATABLE.has(req.method ?? '')) return false;
    if (failure.again === 'same' && this.#attempts === 1) {
      this.#send('retry');
      return true;
    }
    if (failure.again === 'other' && this.#attempts < site.origins.count) {
      this.#origin = site.origins.next();
      this.#send('plain');
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
    this.#body?.stop();
    // A truncated answer must not look like a whole one: the connection is cut in the middle of it.
    if (answering || res.headersSent) req.socket.destroy();
    else serve(req, res, originAnswer(status), limits.lingerMs);
  }

  #stalled(): void {
    if (this.#phase === 'ending' || this.#phase === 'done') return;
    const { req, res } = this.#visit;
    const { lingerMs } = this.#ports.limits;
    const waiting = this.#phase === 'waiting';
    this.#end('aborted');
    this.#sent?.abort();
    if (waiting) {
      serve(req, res, plainAnswer(408, 'The upload stalled.', 'Connection', 'close'), lingerMs);
    } else {
      req.socket.destroy();
    }
  }

  /** What is left of an upload that the origin answered without reading it. */
  #dropUpload(): void {
    if (this.#body === undefined) return;
    this.#body.stop();
    linger(this.#visit.req, this.#ports.limits.lingerMs);
  }

  #end(outcome: 'forwarded' | 'failed' | 'aborted'): void {
    this.#phase = 'done';
    this.#visit.connection.underway.delete(this);
    this.#ports.metrics.count('guard_gateway_requests_total', outcome);
  }
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

/** Every value of a field, by its name in lower case. */
function valuesOf(fields: readonly string[], lowerName: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    if (fields[i]?.toLowerCase() === lowerName) values.push(fields[i + 1] ?? '');
  }
  return values;
}
