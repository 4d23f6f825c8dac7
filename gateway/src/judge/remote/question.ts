import type { Dispatcher } from 'undici';
import type { Connection, Connections, Waiter } from './connections.ts';

/** What came back over HTTP, or why nothing did. */
export type Reply =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Buffer }
  /** The header section came, and the body was too large, too late, or broke off. */
  | { readonly kind: 'partial'; readonly status: number; readonly why: 'too large' | Silence }
  | { readonly kind: 'none'; readonly why: Silence; readonly detail: string };

export type Silence = 'timeout' | 'connection' | GivenUp;
/** Ended from this side: nobody wants the answer any more, or there was no room to ask. */
type GivenUp = 'given up' | 'overloaded';

/** What is the same for every question to one validator. */
export interface Asking {
  readonly connections: Connections;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

const ENOUGH = new Error('the question is over');
/** How a connection ends that the other side closed while it lay idle. */
const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/**
 * One `POST /validate` on its way: waits for a connection, sends, collects a bounded answer. `settle` is
 * called exactly once and within `timeoutMs`; the connection is given back when it is free, which may be
 * later.
 *
 * It is sent once more when a kept connection turns out to be closed and no byte of an answer came. POST
 * is not idempotent by itself (RFC 9110 section 9.2.2), but this question decides nothing that counts
 * twice: at worst the validator had read it, and records one event and takes one request of a budget too
 * many. Without it, each restart of a validator would let visitors pass unchecked.
 */
export class Question implements Dispatcher.DispatchHandler, Waiter {
  readonly #asking: Asking;
  readonly #body: string;
  readonly #settle: (reply: Reply) => void;
  readonly #timer: NodeJS.Timeout;
  #connection: Connection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  /** The connection was kept from a question before, and may be closed at its other end. */
  #mayBeStale = false;
  #answerBegun = false;
  #status = 0;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(asking: Asking, body: string, settle: (reply: Reply) => void) {
    this.#asking = asking;
    this.#body = body;
    this.#settle = settle;
    this.#timer = setTimeout(() => {
      this.#cut('timeout');
    }, asking.timeoutMs);
  }

  giveUp(why: GivenUp): void {
    this.#cut(why);
  }

  start(connection: Connection): void {
    this.#connection = connection;
    this.#mayBeStale = connection.isOpen;
    this.#send(connection);
  }

  #send(connection: Connection): void {
    const { path, headers } = this.#asking;
    connection.client.dispatch({ path, method: 'POST', headers, body: this.#body }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(ENOUGH);
  }

  onResponseStarted(): void {
    this.#answerBegun = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#asking.maxAnswerBytes) this.#cut('too large');
    else this.#parts.push(chunk);
  }

  onResponseEnd(): void {
    const [first = EMPTY] = this.#parts;
    const body = this.#parts.length > 1 ? Buffer.concat(this.#parts) : first;
    this.#release();
    this.#finish({ kind: 'answer', status: this.#status, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const connection = this.#connection;
    connection?.broke();
    if (!this.#isSettled && connection !== undefined && this.#wasStale(error)) {
      this.#mayBeStale = false;
      this.#send(connection);
      return;
    }
    this.#release();
    this.#finish(this.#broken('connection', error.message));
  }

  #wasStale(error: Error): boolean {
    const { code = '' } = error as NodeJS.ErrnoException;
    return this.#mayBeStale && !this.#answerBegun && CLOSED.has(code);
  }

  /** Ends it from this side. Before it has a connection, it is taken out of the queue. */
  #cut(why: 'timeout' | 'too large' | GivenUp): void {
    if (this.#isSettled) return;
    if (this.#connection === undefined) this.#asking.connections.leave(this);
    this.#finish(
      why === 'too large'
        ? { kind: 'partial', status: this.#status, why }
        : this.#broken(why, `no answer in ${this.#asking.timeoutMs} ms`),
    );
    this.#controller?.abort(ENOUGH);
  }

  #broken(why: Silence, detail: string): Reply {
    return this.#status === 0
      ? { kind: 'none', why, detail }
      : { kind: 'partial', status: this.#status, why };
  }

  #release(): void {
    if (this.#connection !== undefined) this.#asking.connections.giveBack(this.#connection);
    this.#connection = undefined;
  }

  #finish(reply: Reply): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#parts = [];
    clearTimeout(this.#timer);
    this.#settle(reply);
  }
}

const EMPTY = Buffer.alloc(0);
