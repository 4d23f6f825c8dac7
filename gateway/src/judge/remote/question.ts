import type { Late, Patience, Wait } from '@guard/config/time/patience';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { Queue, Waiter, Window } from './queue.ts';

/** What came back over HTTP, or why nothing did. */
export type Reply =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Buffer }
  /** The header section came, and the body was too large, too late, or broke off. */
  | { readonly kind: 'partial'; readonly status: number; readonly why: 'too large' | Silence }
  | { readonly kind: 'none'; readonly why: Silence; readonly detail: string };

export type Silence = 'timeout' | 'connection' | GivenUp;
/** Ended from this side: the answer is not needed any more, or there was no room or no time to ask. */
type GivenUp = 'given up' | 'overloaded';

/** What is the same for every question to one validator. */
export interface Asking {
  readonly connections: Connections;
  readonly queue: Queue;
  readonly window: Window;
  readonly patience: Patience;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxAnswerBytes: number;
}

const ENOUGH = new Error('the question is over');
/** How a connection ends that the other side closed while it lay idle. */
const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/**
 * One `POST /validate` on its way: waits for its turn, sends, collects a bounded answer. `settle` is
 * called exactly once and while there is patience, which is for all of it; its place in the queue is free
 * when its connection is, which may be later.
 *
 * A question that had to wait its turn was not with the validator for the whole time. If the
 * validator answers other questions, the validator is not late: the question ends as `overloaded`. It is sent in the
 * first half of its time only. A later one would be given up too early, and a validator that works on abandoned
 * questions is late with the next ones as well.
 *
 * It is sent once more when a kept connection turns out to be closed and no byte of an answer came. POST
 * is not idempotent by itself (RFC 9110 section 9.2.2), but this question decides nothing that counts
 * twice: at worst the validator had read it, and records one event and takes one request of a budget too
 * many. Without it, each restart of a validator would let visitors pass unchecked.
 */
export class Question implements Dispatcher.DispatchHandler, Waiter {
  readonly #asking: Asking;
  readonly bytes: number;
  readonly #body: string;
  readonly #settle: (reply: Reply) => void;
  readonly #wait: Wait;
  /** It was not with the validator from the beginning. */
  #hadToWait = false;
  #sentAt = 0;
  #isUnderWay = false;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  /** It may go over a connection that was kept from a question before, and is closed at its other end. */
  #mayBeStale = false;
  #answerBegun = false;
  #status = 0;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(asking: Asking, body: string, settle: (reply: Reply) => void) {
    this.#asking = asking;
    this.#body = body;
    this.bytes = body.length;
    this.#settle = settle;
    this.#wait = asking.patience.begin((why) => {
      this.#cut(this.#lateness(why));
    });
  }

  /** Asks, now or when it is its turn. */
  ask(): void {
    if (!this.#asking.queue.take(this)) this.#cut('overloaded');
    else this.#hadToWait = !this.#isUnderWay;
  }

  giveUp(why: GivenUp): void {
    this.#cut(why);
  }

  isInTime(): boolean {
    const { patience, window } = this.#asking;
    const isInTime = patience.counted - this.#wait.countedAt <= patience.limitMs / 2;
    if (!isInTime && !window.isSilent) this.#cut('overloaded');
    return isInTime;
  }

  start(): void {
    const { connections, patience } = this.#asking;
    this.#isUnderWay = true;
    // The pool does not say which connection it takes.
    this.#mayBeStale = connections.areOpen();
    this.#sentAt = patience.counted;
    this.#send();
  }

  #send(): void {
    const { connections, path, headers } = this.#asking;
    this.#controller = undefined;
    connections.pool.dispatch({ path, method: 'POST', headers, body: this.#body }, this);
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
    const { window, queue } = this.#asking;
    window.answered(this.bytes, this.#sentAt, queue.areWaiting);
    this.#release();
    this.#finish({ kind: 'answer', status: this.#status, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isSettled && this.#wasStale(error)) {
      this.#mayBeStale = false;
      this.#send();
      return;
    }
    this.#release();
    this.#finish(this.#broken('connection', error.message));
  }

  #wasStale(error: Error): boolean {
    const { code = '' } = error as NodeJS.ErrnoException;
    return this.#mayBeStale && !this.#answerBegun && CLOSED.has(code);
  }

  /** Ends it from this side. Before it is sent, it is taken out of the queue. */
  #cut(why: 'timeout' | 'too large' | GivenUp): void {
    if (this.#isSettled) return;
    if (!this.#isUnderWay) this.#asking.queue.leave(this);
    this.#finish(
      why === 'too large'
        ? { kind: 'partial', status: this.#status, why }
        : this.#broken(why, 'no answer in time'),
    );
    // Without a controller its connection is not open yet. That ends in time, too, or is ended when it opens.
    this.#controller?.abort(ENOUGH);
  }

  #lateness(why: Late): 'timeout' | 'overloaded' {
    const isOwnFault = this.#hadToWait && !this.#asking.window.isSilent;
    return why === 'busy' || isOwnFault ? 'overloaded' : 'timeout';
  }

  #broken(why: Silence, detail: string): Reply {
    return this.#status === 0
      ? { kind: 'none', why, detail }
      : { kind: 'partial', status: this.#status, why };
  }

  #release(): void {
    this.#isUnderWay = false;
    this.#asking.queue.ended(this);
  }

  #finish(reply: Reply): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#parts = [];
    this.#asking.patience.end(this.#wait);
    this.#settle(reply);
  }
}

const EMPTY = Buffer.alloc(0);

interface PoolLimits {
  /** Connections that may be open at once. */
  readonly connections: number;
  readonly maxHeaderBytes: number;
}

/** How long a connection is kept without a question, unless the validator asks for less. */
const KEEP_ALIVE_MS = 55_000;

/** The connections to one validator. Each carries one question at a time. */
interface Connections {
  readonly pool: Pool;
  /** Whether one is open. The other end may have closed it already. */
  readonly areOpen: () => boolean;
}

/** Opens no connection yet: the first question that needs one opens it. */
export function openPool(origin: string, limits: PoolLimits, patience: Patience): Connections {
  const pool = new Pool(origin, {
    connections: limits.connections,
    pipelining: 1,
    allowH2: false,
    connect: connectWithin(patience),
    // A question has a deadline of its own, over all of them.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: limits.maxHeaderBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  // `pool.stats` counts the same, but goes through all connections for it.
  let open = 0;
  pool.on('connect', () => open++);
  pool.on('disconnect', () => open--);
  return { pool, areOpen: () => open > 0 };
}

/** Ends an attempt to connect by the clock of the questions: a plain timer would also count time in which this thread was busy. */
function connectWithin(patience: Patience): buildConnector.connector {
  return (options, done) => {
    const attempt = new AbortController();
    const wait = patience.begin(() => {
      attempt.abort();
    });
    const connect = buildConnector({ allowH2: false, timeout: 0, signal: attempt.signal });
    connect(options, (...result) => {
      patience.end(wait);
      done(...result);
    });
  };
}
