import { Worker } from 'node:worker_threads';
import type { Settings } from '@guard/config/settings/schema';
import type { Compared } from '../judge/comparison.ts';

const PROGRAM = new URL('./replay-worker.ts', import.meta.url);

/** What a thread compares, and how much memory it may have. */
interface ThreadOptions {
  readonly candidate: Settings;
  readonly against: Settings;
  readonly heapMb: number;
}

/** A thread that judges stored events, so that the thread of the gateway does not stand still. */
export class JudgingThread {
  readonly #worker: Worker;
  #waiting: PromiseWithResolvers<Compared> | undefined;
  /** Why the thread has ended. */
  #fault: Error | undefined;

  constructor({ candidate, against, heapMb }: ThreadOptions) {
    this.#worker = new Worker(PROGRAM, {
      workerData: { candidate, against },
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    this.#worker.on('message', (compared: Compared) => this.#waiting?.resolve(compared));
    this.#worker.on('error', (error) => {
      this.#ended(error instanceof Error ? error : new Error(String(error)));
    });
    this.#worker.once('exit', () => {
      this.#ended(new Error('the thread ended'));
    });
  }

  /**
   * Judges the lines, and resolves to what all lines so far came to. Rejects when the thread ends before that. One call
   * at a time.
   */
  judge(lines: readonly string[]): Promise<Compared> {
    const waiting = Promise.withResolvers<Compared>();
    this.#waiting = waiting;
    if (this.#fault) waiting.reject(this.#fault);
    else this.#worker.postMessage(lines);
    return waiting.promise;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #ended(fault: Error): void {
    this.#fault ??= fault;
    this.#waiting?.reject(this.#fault);
  }
}
