import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { Underway } from '../listen/connection.ts';
import { serve } from '../enforce/enforce.ts';
import type { Origin, OriginError } from '../origin/origin.ts';
import type { Passage, Visit } from '../visit.ts';
import type { ForwardPorts } from './forward.ts';
import { ORIGIN_FAILURES, originAnswer } from './origin-failure.ts';
import { fieldsForOrigin, headersForVisitor, withoutNamed } from './proxy-headers.ts';
import type { TunnelEnd } from './upgrade-tunnel.ts';
import { isAccepted } from './websocket-key.ts';
import { webSocketTarget } from './websocket-target.ts';

/** Takes over when the origin has switched protocols; `fields` are those of the 101. */
export type OnSwitched = (fields: string[], origin: TunnelEnd) => void;

const CONTENT_LENGTH: ReadonlySet<string> = new Set(['content-length']);

/**
 * One WebSocket handshake at the origins of a site. It is `waiting` until one has answered, `relaying`
 * while an answer other than 101 goes to the visitor, and then `done`. An origin that takes no connection
 * has heard nothing, so the next one of the site is asked; what was sent is not sent twice.
 */
export class Handshake implements Underway {
  readonly #ports: ForwardPorts;
  readonly #visit: Visit;
  readonly #passage: Passage;
  readonly #onSwitched: OnSwitched;
  #phase: 'waiting' | 'relaying' | 'done' = 'waiting';
  #attempts = 0;
  #sent: ClientRequest | undefined;
  #isConnected = false;
  #isLate = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: ForwardPorts, visit: Visit, passage: Passage, onSwitched: OnSwitched) {
    this.#ports = ports;
    this.#visit = visit;
    this.#passage = passage;
    this.#onSwitched = onSwitched;
  }

  start(): void {
    this.#visit.connection.underway.add(this);
    this.#send(this.#visit.site.origins.next());
  }

  /** The visitor has gone: nobody's failure but theirs, so it is logged as 499 and the origin let off. */
  abandon(): void {
    if (this.#phase === 'done') return;
    this.#end('aborted');
    this.#ports.log('info', 'gateway_visitor_gone', { site: this.#visit.site.name, status: 499 });
    this.#sent?.destroy();
  }

  #send(origin: Origin): void {
    const { site, target } = this.#visit;
    const { limits } = this.#ports;
    const { isSecure, options } = webSocketTarget(origin.address);
    this.#attempts++;
    this.#isConnected = false;
    const fields = fieldsForOrigin(this.#visit, this.#passage);
    const sent = (isSecure ? requestHttps : requestHttp)({
      ...options,
      // A connection that becomes a tunnel is nobody else's before or after.
      agent: false,
      path: target,
      headers: [
        ...fields.sent.fields,
        ...fields.added,
        'Connection',
        'Upgrade',
        'Upgrade',
        'websocket',
      ],
      maxHeaderSize: limits.originMaxHeaderBytes,
    });
    this.#sent = sent;
    this.#await(limits.originConnectMs);
    sent.once('socket', (socket) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        this.#isConnected = true;
        site.origins.report(origin, true);
        this.#await(limits.originHeadersMs);
      });
    });
    sent.on('error', (error) => {
      if (this.#phase !== 'waiting') return;
      if (!this.#isConnected) site.origins.report(origin, false);
      this.#failed(this.#kindOf(error), error.message);
    });
    sent.once('response', (answer) => {
      this.#relay(answer);
    });
    sent.once('upgrade', (answer, socket, head) => {
      this.#switch(answer, { socket, head });
    });
    sent.end();
  }

  #await(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#sent?.destroy(new Error('no answer in time'));
    }, ms);
  }

  #kindOf(error: Error): OriginError['kind'] {
    if (!this.#isConnected) return 'connect';
    if (this.#isLate) return 'timeout';
    return 'code' in error && String(error.code).startsWith('HPE_') ? 'malformed' : 'closed';
  }

  #failed(kind: OriginError['kind'], detail: string): void {
    const { req, res, site } = this.#visit;
    const { metrics, log, limits } = this.#ports;
    const { status, reason, again } = ORIGIN_FAILURES[kind];
    if (again === 'other' && this.#attempts < site.origins.count) {
      this.#send(site.origins.next());
      return;
    }
    const isRelaying = this.#phase === 'relaying';
    metrics.count('guard_gateway_origin_errors_total', isRelaying ? 'truncated' : reason);
    log('warn', 'gateway_origin_failed', {
      site: site.name,
      reason,
      answering: isRelaying,
      detail,
    });
    this.#end('failed');
    // A truncated answer must not look like a whole one.
    if (res.headersSent) req.socket.destroy();
    else serve(req, res, originAnswer(status), limits.lingerMs);
  }

  #switch(answer: IncomingMessage, origin: TunnelEnd): void {
    origin.socket.on('error', () => undefined);
    if (this.#phase !== 'waiting') {
      origin.socket.destroy();
      return;
    }
    if (!isAccepted(answer, this.#visit.req.headers['sec-websocket-key'])) {
      this.#refuse(origin.socket);
      return;
    }
    // RFC 9110 section 8.6: a 1xx has no Content-Length.
    const kept = withoutNamed(
      headersForVisitor(answer.rawHeaders, this.#passage.additions, false),
      CONTENT_LENGTH,
    );
    try {
      this.#onSwitched(['Connection', 'Upgrade', 'Upgrade', 'websocket', ...kept], origin);
    } catch (error) {
      origin.socket.destroy();
      this.#failed('malformed', String(error));
      return;
    }
    this.#end('forwarded');
  }

  #refuse(origin: Socket): void {
    origin.destroy();
    this.#failed('malformed', 'the 101 does not accept the WebSocket that was asked for');
  }

  /** An origin that does not switch has an answer like any other. */
  #relay(answer: IncomingMessage): void {
    // Without a listener, a connection that breaks would end the process.
    answer.on('error', () => undefined);
    if (this.#phase !== 'waiting') return;
    const { res } = this.#visit;
    const { statusCode: status = 0, statusMessage: reason = '' } = answer;
    // Node takes a 101 that names no protocol for an answer.
    if (status === 101) {
      this.#refuse(answer.socket);
      return;
    }
    const kept = headersForVisitor(answer.rawHeaders, this.#passage.additions, false);
    try {
      res.writeHead(status, reason, status === 204 ? withoutNamed(kept, CONTENT_LENGTH) : kept);
    } catch (error) {
      this.#failed('malformed', String(error));
      this.#sent?.destroy();
      return;
    }
    this.#phase = 'relaying';
    clearTimeout(this.#timer);
    this.#sent?.setTimeout(this.#ports.limits.originBodyIdleMs, () => {
      if (!answer.isPaused()) answer.destroy(new Error('no part of the body in time'));
    });
    answer.on('data', (part: Buffer) => {
      if (res.write(part)) return;
      answer.pause();
      res.once('drain', () => answer.resume());
    });
    answer.once('end', () => {
      if (this.#phase === 'done') return;
      res.end();
      this.#end('forwarded');
    });
    answer.once('close', () => {
      if (this.#phase === 'relaying') this.#failed('truncated', 'the answer broke off');
    });
  }

  #end(outcome: 'forwarded' | 'failed' | 'aborted'): void {
    this.#phase = 'done';
    clearTimeout(this.#timer);
    this.#visit.connection.underway.delete(this);
    this.#ports.metrics.count('guard_gateway_requests_total', outcome);
  }
}
