import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { MessageFromWorker, MessageToWorker, WorkerData } from './messages.ts';

/** What a worker sends between its start and its end. */
export type WorkerMessage = Exclude<
  MessageFromWorker,
  { kind: 'listening' | 'start-failed' | 'closed' }
>;

export interface WorkerListeners {
  readonly onMessage: (worker: WorkerHandle, message: WorkerMessage) => void;
  /** The thread has ended, by `end` or by itself. */
  readonly onEnd: (worker: WorkerHandle, reason: string) => void;
}

/** One worker thread as the main thread sees it, from its start to its end. */
export class WorkerHandle {
  /** Resolves when the worker listens. Rejects with the reason when it ends before that. */
  readonly started: Promise<void>;
  readonly #worker: Worker;
  readonly #closed: Promise<void>;

  constructor(program: URL, workerData: WorkerData, { onMessage, onEnd }: WorkerListeners) {
    const started = Promise.withResolvers<undefined>();
    const closed = Promise.withResolvers<undefined>();
    let reason = 'it ended';
    this.started = started.promise.then(() => undefined);
    // The pool does not wait for a worker that it starts again. It learns of a failure by onEnd.
    this.started.catch(() => undefined);
    this.#closed = closed.promise.then(() => undefined);
    this.#worker = new Worker(program, { workerData });
    this.#worker.on('message', (message: MessageFromWorker) => {
      if (message.kind === 'listening') started.resolve(undefined);
      else if (message.kind === 'start-failed') ({ reason } = message);
      else if (message.kind === 'closed') closed.resolve(undefined);
      else onMessage(this, message);
    });
    this.#worker.on('error', (error) => {
      reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    });
    this.#worker.once('exit', () => {
      started.reject(new Error(reason));
      closed.resolve(undefined);
      onEnd(this, reason);
    });
  }

  send(message: MessageToWorker): void {
    this.#worker.postMessage(message);
  }

  /** Lets the worker finish its requests, for at most `withinMs`. Then the thread is stopped. */
  async end(withinMs: number): Promise<void> {
    this.send({ kind: 'close' });
    await Promise.race([this.#closed, sleep(withinMs, undefined, { ref: false })]);
    await this.#worker.terminate();
  }
}
