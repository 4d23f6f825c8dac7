import { createHash } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Visit } from '../arrive/arrive.ts';
import type { ForwardPorts } from './forward-ports.ts';
import { serveHeldBack } from './held-back.ts';
import { ORIGIN_FAILURES } from './origin-failure.ts';
import {
  CONTENT_LENGTH,
  fieldsForOrigin,
  headersForVisitor,
  withoutNamed,
} from './proxy-headers.ts';
import { type Join, sendUpgrade } from './upgrade-proxy.ts';
import { logVisitorGone, VISITOR_GONE } from '../judge/open-event.ts';
import type { ForwardPlan } from '../judge/request-plan.ts';
import type { Underway } from '../listen/connection.ts';
import { shortFailure } from '../judge/failure-answer.ts';
import { serve } from '../message/own-answer.ts';
import { connectOptions } from '../origin/connect-options.ts';
import type { OriginError } from '../origin/origin.ts';

/** `join` sends the 101 to the visitor, and carries bytes both ways. */
type OnSwitched = (origin: Socket, join: () => void) => void;

/**
 * One WebSocket handshake at the origins of a site. It is `waiting` until an origin has answered, `relaying` while
 * an answer other than 101 goes to the visitor, and then `done`. When an origin accepts no connection, the next
 * origin of the site is tried. A handshake that was sent is not sent again.
 */
export class Handshake implements Underway {
  readonly #ports: ForwardPorts;
  readonly #visit: Visit;
  readonly #plan: ForwardPlan;
  readonly #onSwitched: OnSwitched;
  #phase: 'waiting' | 'relaying' | 'done' = 'waiting';
  #attempts = 0;
  #originSocket: Socket | undefined;
  #originRequest: ClientRequest | undefined;
  #isConnected = false;
  #isLate = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: ForwardPorts, visit: Visit, plan: ForwardPlan, onSwitched: OnSwitched) {
    this.#ports = ports;
    this.#visit = visit;
    this.#plan = plan;
    this.#onSwitched = onSwitched;
  }

  /** `req` is the visitor's request. Its socket is the visitor's side of the tunnel. */
  start(req: IncomingMessage): void {
    this.#visit.connection.underway.add(this);
    const { visitorFields, gatewayFields } = fieldsForOrigin(this.#visit, this.#plan);
    this.#originRequest = sendUpgrade({
      req,
      path: this.#visit.target,
      fields: [
        ...visitorFields.values,
        ...gatewayFields,
        'Connection',
        'Upgrade',
        'Upgrade',
        'websocket',
      ],
      maxHeaderBytes: this.#ports.limits.originMaxHeaderBytes,
      connect: (callback) => {
        this.#connect(callback);
      },
      onSwitch: (answer, socket, join) => {
        this.#switch(answer, socket, join);
      },
      onAnswer: (answer) => {
        this.#relay(answer);
      },
      onError: (error) => {
        if (this.#phase === 'waiting') this.#fail(this.#kindOf(error), error.message);
      },
    });
  }

  /** Called when the visitor has gone. Closes the connection to the origin. */
  abandon(): void {
    if (this.#phase === 'done') return;
    this.#end('aborted', VISITOR_GONE);
    logVisitorGone(this.#ports.log, this.#visit);
    this.#originSocket?.destroy();
    this.#originRequest?.destroy();
  }

  /** Tries one origin after the other until one accepts a connection. Nothing is sent before that. */
  #connect(callback: (error: Error | null, socket?: Socket) => void): void {
    const { origins } = this.#visit.site;
    const origin = origins.next();
    const { isSecure, options } = connectOptions(origin.address);
    this.#attempts++;
    this.#plan.event?.noteSent(false);
    const socket = isSecure ? connectTls(options) : connect(options);
    this.#originSocket = socket;
    this.#startTimeLimit(this.#ports.limits.originConnectMs, (lateError) =>
      socket.destroy(lateError),
    );
    const tryNextOrigin = (error: Error) => {
      origins.report(origin, false);
      if (this.#phase === 'waiting' && this.#attempts < origins.count) this.#connect(callback);
      else callback(error);
    };
    // Errors of a tunnel need no handling here, because 'close' follows each of them.
    socket.once('error', tryNextOrigin).on('error', () => undefined);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      socket.off('error', tryNextOrigin);
      origins.report(origin, true);
      this.#isConnected = true;
      const { origin_timeout: headersMs } = this.#visit.site.config.settings;
      this.#startTimeLimit(headersMs ?? this.#ports.limits.originHeadersMs, (lateError) =>
        this.#originRequest?.destroy(lateError),
      );
      callback(null, socket);
    });
  }

  #startTimeLimit(ms: number, onLate: (lateError: Error) => void): void {
    clearTimeout(this.#timer);
    this.#isLate = false;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      onLate(new Error('no connection or answer in time'));
    }, ms);
  }

  #kindOf(error: Error): OriginError['kind'] {
    if (!this.#isConnected) return 'connect';
    if (this.#isLate) return 'timeout';
    return 'code' in error && String(error.code).startsWith('HPE_') ? 'malformed' : 'closed';
  }

  #fail(kind: OriginError['kind'], detail: string): void {
    const { req, res, site } = this.#visit;
    const { metrics, log, limits } = this.#ports;
    const { status, reason } = ORIGIN_FAILURES[kind];
    const isRelaying = this.#phase === 'relaying';
    metrics.count('guard_gateway_origin_errors_total', isRelaying ? 'truncated' : reason);
    log('warn', 'gateway_origin_failed', {
      site: site.name,
      reason,
      answering: isRelaying,
      detail,
    });
    this.#end('failed', status);
    // A truncated answer must not look like a complete answer.
    if (res.headersSent) req.socket.destroy();
    else serve(req, res, shortFailure(status), limits.lingerMs);
  }

  #switch(answer: IncomingMessage, origin: Socket, join: Join): void {
    if (this.#phase !== 'waiting') {
      origin.destroy();
      return;
    }
    if (!isAccepted(answer, this.#visit.req.headers['sec-websocket-key'])) {
      this.#refuse(origin);
      return;
    }
    // RFC 9110 section 8.6: a 1xx has no Content-Length.
    const keptFields = withoutNamed(
      headersForVisitor(answer.rawHeaders, this.#plan.additions, false),
      CONTENT_LENGTH,
    );
    this.#onSwitched(origin, () => {
      join(['Connection', 'Upgrade', 'Upgrade', 'websocket', ...keptFields]);
    });
    this.#plan.event?.noteAnswer(101, []);
    this.#end('forwarded');
  }

  #refuse(origin: Socket): void {
    origin.destroy();
    this.#fail('malformed', 'the 101 does not accept the WebSocket that was asked for');
  }

  /** Passes on the answer of an origin that does not switch protocols. */
  #relay(answer: IncomingMessage): void {
    // Without a listener, a broken connection would end the process.
    answer.on('error', () => undefined);
    if (this.#phase !== 'waiting') return;
    const { res } = this.#visit;
    const { statusCode: status = 0, statusMessage: reason = '' } = answer;
    // Node reports a 101 without a protocol as an ordinary answer.
    if (status === 101) {
      this.#refuse(answer.socket);
      return;
    }
    if (serveHeldBack(this.#ports, this.#visit, this.#plan, status, answer.rawHeaders)) {
      this.#end('served');
      this.#originRequest?.destroy();
      return;
    }
    const keptFields = headersForVisitor(answer.rawHeaders, this.#plan.additions, false);
    try {
      res.writeHead(
        status,
        reason,
        status === 204 ? withoutNamed(keptFields, CONTENT_LENGTH) : keptFields,
      );
    } catch (error) {
      this.#fail('malformed', String(error));
      this.#originRequest?.destroy();
      return;
    }
    this.#plan.event?.noteAnswer(status, answer.rawHeaders);
    this.#phase = 'relaying';
    clearTimeout(this.#timer);
    this.#originRequest?.setTimeout(this.#ports.limits.originBodyIdleMs, () => {
      if (!answer.isPaused()) answer.destroy(new Error('no more of the body came in time'));
    });
    answer.on('data', (part: Buffer) => {
      this.#plan.event?.bodyBegins();
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
      if (this.#phase === 'relaying') this.#fail('truncated', 'the answer broke off');
    });
  }

  /**
   * `status` is the status that the visitor gets, for the event. It is not recorded when the event already has the
   * status of an answer.
   */
  #end(outcome: 'forwarded' | 'served' | 'failed' | 'aborted', status?: number): void {
    this.#phase = 'done';
    this.#plan.event?.record(status);
    clearTimeout(this.#timer);
    this.#visit.connection.underway.delete(this);
    this.#ports.metrics.count('guard_gateway_requests_total', outcome);
  }
}

/** RFC 6455 section 1.3. */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/**
 * 16 bytes in base64 (RFC 4648 section 4). The last character carries only two bits, so it can only be A, Q, g or w.
 */
const KEY_PATTERN = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/**
 * Whether the key is valid (RFC 6455 section 4.1). When the header comes twice, Node joins the two keys with a comma,
 * and the result is not valid.
 */
export function isWebSocketKey(key: string): boolean {
  return KEY_PATTERN.test(key);
}

/** Whether a 101 accepts the WebSocket that was requested with this key (RFC 6455 section 4.1). */
function isAccepted({ headers }: IncomingMessage, key: string | undefined): boolean {
  if (key === undefined || headers.upgrade?.toLowerCase() !== 'websocket') return false;
  const accept = createHash('sha1')
    .update(key + WEBSOCKET_GUID)
    .digest('base64');
  return headers['sec-websocket-accept'] === accept;
}
