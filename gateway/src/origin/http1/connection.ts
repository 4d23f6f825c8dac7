import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { callAtEndOfTurn, type EndOfTurnListener } from '../../base/event-loop.ts';
import type { VisitorSocket } from '../../message/message.ts';
import { AnswerReader } from './answer-reader.ts';
import type { AnswerSink } from './answer-sink.ts';
import type { Exchange, OriginTicks } from './exchange.ts';
import { BodySender, type BodySenderListener } from './body-sender.ts';
import type { OriginError, RequestBody } from '../origin.ts';

/** The pool of one origin, in the form that its connections use. */
export interface ConnectionPool {
  readonly tickClock: OriginTicks;
  readonly maxHeaderBytes: number;
  /** The exchange has ended. Its lane can accept another one. */
  onReleased(exchange: Exchange): void;
  /**
   * The connection is idle, and another request can use it. `keepsForS` is how many seconds the origin promises to keep
   * the connection open.
   */
  onIdle(connection: Connection, keepsForS: number | undefined): void;
  onClosed(connection: Connection): void;
}

const NEVER = Number.POSITIVE_INFINITY;

/** One connection to an origin, with at most one request on it at a time. */
export class Connection implements AnswerSink, BodySenderListener, EndOfTurnListener {
  /** After this tick (see OriginTicks) the connection has waited too long. The pool checks it. */
  deadline: number;
  idleSince = 0;
  /**
   * The visitor who signed in to the origin on this connection with NTLM or Negotiate (held-connections.ts). Undefined
   * when no visitor signed in. With 'unusable', no visitor may use the connection again.
   */
  signedInVisitor: VisitorSocket | 'unusable' | undefined;

  readonly #pool: ConnectionPool;
  readonly #socket: Socket;
  readonly #reader: AnswerReader;
  #isConnected = false;
  #exchange: Exchange | undefined;
  #bodySender: BodySender | undefined;
  #head: string | undefined;
  #hasAnswerHead = false;
  #isPaused = false;

  constructor(socket: Socket, pool: ConnectionPool) {
    this.#socket = socket;
    this.#pool = pool;
    this.#reader = new AnswerReader(this, pool.maxHeaderBytes);
    this.deadline = pool.tickClock.tickAfter('connect');
    socket.on('error', (error) => {
      this.#close({ kind: this.#lossKind(), detail: error.message });
    });
    socket.on('end', () => {
      this.#reader.finish();
      this.#closeLost();
    });
    socket.on('close', () => {
      this.#closeLost();
    });
    socket.on('drain', () => {
      this.#bodySender?.resume();
    });
  }

  get isBusy(): boolean {
    return this.#exchange !== undefined;
  }

  /** Called when TCP is connected and, with TLS, the handshake is done. */
  onConnected(): void {
    this.#isConnected = true;
    const body = this.#exchange?.request.body;
    if (body === undefined) this.#awaitAnswer();
    else this.#startBody(body);
  }

  /** Reads the bytes of the origin up to `end`. False when the bytes are still in use afterwards. */
  read(chunk: Buffer, end: number): boolean {
    const exchange = this.#exchange;
    try {
      this.#reader.read(chunk, end);
      return exchange?.handler.onFlush() ?? true;
    } catch (error) {
      this.#close(handlerFault(error));
      return false;
    }
  }

  /** Sends one exchange. `head` is its header section as text. The connection must be idle or new. */
  send(exchange: Exchange, head: string): void {
    const { method, body } = exchange.request;
    exchange.connection = this;
    this.#exchange = exchange;
    this.#hasAnswerHead = false;
    this.#reader.expect(method === 'HEAD');
    this.#head = head;
    if (body === undefined) {
      callAtEndOfTurn(this);
      this.#awaitAnswer();
    } else if (this.#isConnected) {
      // The body is read only after the connection is made. So another origin can get the body when this origin cannot
      // be reached.
      this.#startBody(body);
    }
  }

  #startBody(body: RequestBody): void {
    // The visitor may have sent a part of the body together with its header section. This part is read in this turn,
    // and then both go out in one write.
    this.#socket.cork();
    this.#writeHead();
    this.#bodySender = new BodySender(this.#socket, body, this);
    this.#bodySender.start();
    this.#awaitAnswer();
    process.nextTick(uncork, this.#socket);
  }

  /** The header section of a request without a body waits for the end of the turn. */
  onEndOfTurn(): void {
    this.#writeHead();
  }

  #writeHead(): void {
    if (this.#head === undefined) return;
    this.#socket.write(this.#head, 'latin1');
    this.#head = undefined;
  }

  /** Ends the exchange without calling its handler. */
  abort(): void {
    this.#reset();
    this.#close(undefined);
  }

  /**
   * Resets the connection to the origin. After a normal close its port is in use for a minute, and a visitor who cancels
   * requests, sends HEAD, or fills the idle connections could use up all ports. Node can reset only TCP, and a unix
   * socket has no address.
   */
  #reset(): void {
    const socket = this.#socket;
    if (socket instanceof TLSSocket || socket.remoteAddress === undefined) return;
    socket.resetAndDestroy();
  }

  pause(): void {
    this.#isPaused = true;
    this.deadline = NEVER;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.deadline = this.#pool.tickClock.tickAfter('body');
    this.#socket.resume();
  }

  expire(): void {
    if (this.#isConnected)
      this.#close({ kind: 'timeout', detail: 'the origin sent or took no bytes in time' });
    else this.#close({ kind: 'connect', detail: 'no connection in time' });
  }

  /** Closes the connection. An exchange on it fails. An idle connection is reset, because its answers have all come. */
  destroy(): void {
    if (this.#exchange === undefined) this.#reset();
    this.#close({ kind: this.#lossKind(), detail: 'the connection was closed' });
  }

  onInformational(status: number, fields: readonly string[]): void {
    this.#awaitAnswer();
    this.#exchange?.handler.onInformational(status, fields);
  }

  onHead(status: number, reason: string, fields: readonly string[]): void {
    this.#hasAnswerHead = true;
    this.deadline = this.#pool.tickClock.tickAfter('body');
    this.#exchange?.handler.onHead(status, reason, fields);
  }

  onBody(chunk: Buffer, from: number, to: number, isLast: boolean): void {
    this.deadline = this.#isPaused ? NEVER : this.#pool.tickClock.tickAfter('body');
    const part = to - from === chunk.length ? chunk : chunk.subarray(from, to);
    this.#exchange?.handler.onData(part, isLast);
  }

  onComplete(
    trailers: readonly string[],
    isReusable: boolean,
    keepsForS: number | undefined,
  ): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    // When the answer comes before the end of the body, the rest of the body is not sent, and the connection is not
    // reusable.
    const isSent = this.#bodySender === undefined;
    if (isReusable && isSent) {
      this.#release(exchange);
      if (this.#isPaused) this.resume();
      this.#pool.onIdle(this, keepsForS);
    } else {
      // A reset loses bytes that are still on their way. The origin may still read a body that was sent completely.
      if (!isSent || exchange.request.body === undefined) this.#reset();
      this.#close(undefined);
    }
    try {
      exchange.handler.onEnd(trailers);
    } catch (error) {
      exchange.handler.onError(handlerFault(error));
    }
  }

  onFault(fault: string): void {
    this.#close({ kind: 'malformed', detail: fault });
  }

  onBodyBlockedChanged(): void {
    this.#awaitAnswer();
  }

  onBodySent(): void {
    this.#bodySender = undefined;
    this.#awaitAnswer();
  }

  onBodyFault(fault: string): void {
    this.#close({ kind: 'unsendable', detail: fault });
  }

  /** Sets the deadline for the origin. While the visitor has to send more of the body, the origin has no deadline. */
  #awaitAnswer(): void {
    if (!this.#isConnected || this.#hasAnswerHead || this.#exchange === undefined) return;
    const waitsForVisitor = this.#bodySender !== undefined && !this.#bodySender.isBlocked;
    this.deadline = waitsForVisitor ? NEVER : this.#pool.tickClock.tickAfter('head');
  }

  #closeLost(): void {
    this.#close({ kind: this.#lossKind(), detail: 'the origin closed the connection' });
  }

  #lossKind(): OriginError['kind'] {
    if (!this.#isConnected) return 'connect';
    return this.#reader.hasBegun ? 'truncated' : 'closed';
  }

  /** Closes the connection and ends its exchange. Without an error, the handler is not called. */
  #close(error: OriginError | undefined): void {
    const exchange = this.#exchange;
    this.#head = undefined;
    this.#reader.stop();
    this.#socket.destroy();
    this.#pool.onClosed(this);
    if (exchange === undefined) return;
    this.#release(exchange);
    if (error !== undefined) exchange.handler.onError(error);
  }

  #release(exchange: Exchange): void {
    exchange.connection = undefined;
    this.#exchange = undefined;
    this.#bodySender?.stop();
    this.#bodySender = undefined;
    this.#pool.onReleased(exchange);
  }
}

/** The error for an answer that the handler could not pass on. */
function handlerFault(error: unknown): OriginError {
  return { kind: 'malformed', detail: error instanceof Error ? error.message : String(error) };
}

function uncork(socket: Socket): void {
  socket.uncork();
}
