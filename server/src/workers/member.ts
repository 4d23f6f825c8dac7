import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Beginning, Order, Report } from './messages.ts';

/** What a worker reports while it works. */
export type Work = Exclude<Report, { kind: 'listening' | 'failed' | 'closed' }>;

export interface MemberListeners {
  readonly onWork: (member: Member, work: Work) => void;
  /** It has ended, whether it was told to or not. */
  readonly onEnd: (member: Member, reason: string) => void;
}

/** One worker thread, from its beginning to its end. */
export class Member {
  /** Resolves when it listens; rejects with the reason when it ends before. */
  readonly began: Promise<void>;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;

  constructor(program: URL, beginning: Beginning, { onWork, onEnd }: MemberListeners) {
    const began = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    let reason = 'it ended';
    this.began = began.promise.then(() => undefined);
    // A worker that is begun again has nobody waiting; onEnd hears of it.
    this.began.catch(() => undefined);
    this.#ended = ended.promise.then(() => undefined);
    this.#worker = new Worker(program, { workerData: beginning });
    this.#worker.on('message', (report: Report) => {
      if (report.kind === 'listening') began.resolve(undefined);
      else if (report.kind === 'failed') ({ reason } = report);
      else if (report.kind === 'closed') ended.resolve(undefined);
      else onWork(this, report);
    });
    this.#worker.on('error', (error) => {
      reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    });
    this.#worker.once('exit', () => {
      began.reject(new Error(reason));
      ended.resolve(undefined);
      onEnd(this, reason);
    });
  }

  tell(order: Order): void {
    this.#worker.postMessage(order);
  }

  /** Lets it finish what it has under way, for at most `withinMs`; then it is cut. */
  async end(withinMs: number): Promise<void> {
    this.tell({ kind: 'close' });
    await Promise.race([this.#ended, sleep(withinMs, undefined, { ref: false })]);
    await this.#worker.terminate();
  }
}
