import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Batch } from '@guard/analytics';
import type { CrowdsecChanges } from '@guard/config/contract/crowdsec';
import type { Session } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import type { SharedMemory } from '@guard/validator';
import type { Addresses } from '../listeners/listen.ts';
import type { StartSettings } from '../reload/changes.ts';
import type { MetricsReport } from '../metrics/metrics.ts';

export type WorkerMessage = Exclude<
  MessageFromWorker,
  { kind: 'listening' | 'start-failed' | 'closed' }
>;

interface WorkerListeners {
  readonly onMessage: (worker: WorkerHandle, message: WorkerMessage) => void;
  /** Called when the thread has ended, after a call of `end` or by itself. */
  readonly onEnd: (worker: WorkerHandle, reason: string) => void;
}

export class WorkerHandle {
  /** Resolves when the worker listens. Rejects with the reason when it ends before that. */
  readonly started: Promise<void>;
  readonly #worker: Worker;
  readonly #closePromise: Promise<void>;
  #reason = 'it ended';

  constructor(program: URL, workerData: WorkerData, { onMessage, onEnd }: WorkerListeners) {
    const startPromise = Promise.withResolvers<undefined>();
    const closePromise = Promise.withResolvers<undefined>();
    this.started = startPromise.promise.then(() => undefined);
    // The pool does not wait for a worker that starts again. `onEnd` reports its failure.
    this.started.catch(() => undefined);
    this.#closePromise = closePromise.promise.then(() => undefined);
    this.#worker = new Worker(program, { workerData });
    this.#worker.on('message', (message: MessageFromWorker) => {
      if (message.kind === 'listening') startPromise.resolve(undefined);
      else if (message.kind === 'start-failed') this.#reason = message.reason;
      else if (message.kind === 'closed') closePromise.resolve(undefined);
      else onMessage(this, message);
    });
    this.#worker.on('error', (error) => {
      this.#reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    });
    this.#worker.once('exit', () => {
      startPromise.reject(new Error(this.#reason));
      closePromise.resolve(undefined);
      onEnd(this, this.#reason);
    });
  }

  send(message: MessageToWorker): void {
    this.#worker.postMessage(message);
  }

  /** Gives the worker `withinMs` to finish its requests, then stops the thread. `reason` is passed to `onEnd`. */
  async end(withinMs: number, reason = this.#reason): Promise<void> {
    this.#reason = reason;
    this.send({ kind: 'close' });
    await Promise.race([this.#closePromise, sleep(withinMs, undefined, { ref: false })]);
    await this.#worker.terminate();
  }
}

/** The data that a worker thread gets at its start. */
export interface WorkerData {
  readonly settings: Settings;
  /** The addresses of the main thread. Workers share the addresses of the gateway, which have their real ports. */
  readonly addresses: Addresses;
  readonly memory: SharedMemory;
  /** One Int32 with the number of event batches that wait for the database. */
  readonly backlog: Int32Array<SharedArrayBuffer>;
}

/** A verified session for the other threads. `expiresAt` is in milliseconds since the epoch. */
export interface SharedSession {
  readonly id: string;
  readonly session: Session;
  readonly expiresAt: number;
}

export type MessageToWorker =
  /** Sessions that were verified before this worker started. There is no reply. */
  | { readonly kind: 'sessions'; readonly sessions: readonly SharedSession[] }
  /** The worker replies with `session-received` and the same number. */
  | { readonly kind: 'session'; readonly shared: SharedSession; readonly number: number }
  /** The reply to a `share-session` of this worker, with the same number. */
  | { readonly kind: 'session-shared'; readonly number: number }
  | { readonly kind: 'crowdsec'; readonly changes: CrowdsecChanges }
  /** The worker replies with `reloaded` and the same number. */
  | {
      readonly kind: 'reload';
      readonly pieces: readonly Uint8Array[];
      /** Settings that only a restart can change. They replace those in `pieces`. */
      readonly atStart: StartSettings;
      readonly revision: string;
      readonly number: number;
    }
  | { readonly kind: 'close' };

export type MessageFromWorker =
  | { readonly kind: 'listening' }
  | { readonly kind: 'start-failed'; readonly reason: string }
  /** This worker has verified a session. The main thread replies with `session-shared` when every thread has it. */
  | { readonly kind: 'share-session'; readonly shared: SharedSession; readonly number: number }
  | { readonly kind: 'session-received'; readonly number: number }
  | { readonly kind: 'metrics'; readonly report: MetricsReport }
  /** `outbox`: the batch is for the database. `disk`: the current rows of the batch are for its file. */
  | { readonly kind: 'events'; readonly to: 'outbox' | 'disk'; readonly batch: Batch }
  /** `fault` is the reason why the worker could not apply the settings. */
  | { readonly kind: 'reloaded'; readonly fault: string | undefined; readonly number: number }
  /** The worker has finished all requests and sent its last events and metrics. */
  | { readonly kind: 'closed' };
