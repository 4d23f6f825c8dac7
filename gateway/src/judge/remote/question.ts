import type { LateReason, Patience, Wait } from '@guard/config/time/patience';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { Queue, Waiter, Window } from './queue.ts';

/** The answer over HTTP, or why no answer came. */
export type Reply =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Buffer }
  /** The header section came, but the body was too large, came too late, or broke off. */
  | { readonly kind: 'partial'; readonly status: number; readonly cause: 'too large' | Silence }
  | { readonly kind: 'none'; readonly cause: Silence; readonly detail: string };

export type Silence = 'timeout' | 'connection' | GivenUp;
/**
 * The gateway ended the question itself. `given up`: the answer is not needed any more. `overloaded`: too many
 * questions were waiting, or too little time was left to ask.
 */
type GivenUp = 'given up' | 'overloaded';

/** The values that are the same for every question to one validator. */
export interface ValidatorTerms {
  readonly connections: Connections;
  readonly queue: Queue;
  readonly window: Window;
  readonly patience: Patience;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxAnswerBytes: number;
}

const QUESTION_OVER = new Error('the question is over');
/** The error codes after the other side has closed an idle connection. */
const STALE_ERRORS: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/**
 * One `POST /validate`: it waits for its turn, is sent, and collects an answer of bounded size. One time limit covers
 * all these steps. `settle` is called exactly once, before the time limit ends. The question leaves the queue when its
 * connection is free again, and this can be later.
 *
 * When the time ends while the question waits and the validator answers other questions, the fault is not the
 * validator's. Then the question ends as `overloaded`. A question is sent only in the first half of its time. If it
 * were sent later, the gateway would often give it up before the answer. The validator would then work on abandoned
 * questions.
 *
 * A question is sent once more when a kept connection was already closed and no byte of an answer came. POST is not
 * idempotent (RFC 9110 section 9.2.2), so the validator can record one event too many. But without the second try, each
 * restart of a validator would let visitors pass unchecked.
 */
export class Question implements Dispatcher.DispatchHandler, Waiter {
  readonly #terms: ValidatorTerms;
  readonly bytes: number;
  readonly #body: string;
  readonly #settle: (reply: Reply) => void;
  readonly #wait: Wait;
  #hasWaited = false;
  #sentAt = 0;
  #isUnderWay = false;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  /** True when the other side may already have closed the connection. */
  #mayBeStale = false;
  #hasAnswerBegun = false;
  #status = 0;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(terms: ValidatorTerms, body: string, settle: (reply: Reply) => void) {
    this.#terms = terms;
    this.#body = body;
    this.bytes = body.length;
    this.#settle = settle;
    this.#wait = terms.patience.begin((lateReason) => {
      this.#abandon(this.#lateness(lateReason));
    });
  }

  ask(): void {
    if (!this.#terms.queue.take(this)) this.#abandon('overloaded');
    else this.#hasWaited = !this.#isUnderWay;
  }

  giveUp(): void {
    this.#abandon('given up');
  }

  isInTime(): boolean {
    const { patience, window } = this.#terms;
    const isInTime = patience.counted - this.#wait.countedAt <= patience.limitMs / 2;
    if (!isInTime && !window.isSilent) this.#abandon('overloaded');
    return isInTime;
  }

  start(): void {
    const { connections, patience } = this.#terms;
    this.#isUnderWay = true;
    // The pool does not say whether it uses an open connection or a new one.
    this.#mayBeStale = connections.areOpen();
    this.#sentAt = patience.counted;
    this.#send();
  }

  #send(): void {
    const { connections, path, headers } = this.#terms;
    this.#controller = undefined;
    connections.pool.dispatch({ path, method: 'POST', headers, body: this.#body }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(QUESTION_OVER);
  }

  onResponseStarted(): void {
    this.#hasAnswerBegun = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#terms.maxAnswerBytes) this.#abandon('too large');
    else this.#parts.push(chunk);
  }

  onResponseEnd(): void {
    const [firstPart = EMPTY] = this.#parts;
    const body = this.#parts.length > 1 ? Buffer.concat(this.#parts) : firstPart;
    const { window, queue } = this.#terms;
    window.noteAnswer(this.bytes, this.#sentAt, queue.areWaiting);
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
    this.#finish(this.#failedReply('connection', error.message));
  }

  #wasStale(error: Error): boolean {
    const { code = '' } = error as NodeJS.ErrnoException;
    return this.#mayBeStale && !this.#hasAnswerBegun && STALE_ERRORS.has(code);
  }

  /** Ends the question from this side. A question that was not sent yet leaves the queue. */
  #abandon(cause: 'timeout' | 'too large' | GivenUp): void {
    if (this.#isSettled) return;
    if (!this.#isUnderWay) this.#terms.queue.leave(this);
    this.#finish(
      cause === 'too large'
        ? { kind: 'partial', status: this.#status, cause }
        : this.#failedReply(cause, 'no answer in time'),
    );
    // Without a controller the connection is not open yet. Then onRequestStart ends the question when the connection
    // opens.
    this.#controller?.abort(QUESTION_OVER);
  }

  #lateness(lateReason: LateReason): 'timeout' | 'overloaded' {
    const isOwnFault = this.#hasWaited && !this.#terms.window.isSilent;
    return lateReason === 'busy' || isOwnFault ? 'overloaded' : 'timeout';
  }

  #failedReply(cause: Silence, detail: string): Reply {
    return this.#status === 0
      ? { kind: 'none', cause, detail }
      : { kind: 'partial', status: this.#status, cause };
  }

  #release(): void {
    this.#isUnderWay = false;
    this.#terms.queue.release(this);
  }

  #finish(reply: Reply): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#parts = [];
    this.#terms.patience.end(this.#wait);
    this.#settle(reply);
  }
}

const EMPTY = Buffer.alloc(0);

interface PoolLimits {
  /** Connections that may be open at once. */
  readonly connections: number;
  readonly maxHeaderBytes: number;
}

/** How long an idle connection is kept. The validator can ask for a shorter time. */
const KEEP_ALIVE_MS = 55_000;

/** The connections to one validator. Each connection carries one question at a time. */
interface Connections {
  readonly pool: Pool;
  /** Whether any connection is open. The other side may have closed that connection already. */
  readonly areOpen: () => boolean;
}

/** Makes a pool without connections. The first question that needs a connection opens it. */
export function openPool(origin: string, limits: PoolLimits, patience: Patience): Connections {
  const pool = new Pool(origin, {
    connections: limits.connections,
    pipelining: 1,
    allowH2: false,
    connect: connectWithin(patience),
    // Each question has its own time limit for all steps.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: limits.maxHeaderBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  // `pool.stats` gives the same number, but reads all connections each time.
  let openConnections = 0;
  pool.on('connect', () => openConnections++);
  pool.on('disconnect', () => openConnections--);
  return { pool, areOpen: () => openConnections > 0 };
}

/**
 * Limits an attempt to connect with the same clock as the questions. An ordinary timer would also count time in which
 * this thread was busy.
 */
function connectWithin(patience: Patience): buildConnector.connector {
  return (options, callback) => {
    const attempt = new AbortController();
    const wait = patience.begin(() => {
      attempt.abort();
    });
    const connect = buildConnector({ allowH2: false, timeout: 0, signal: attempt.signal });
    connect(options, (...result) => {
      patience.end(wait);
      callback(...result);
    });
  };
}
