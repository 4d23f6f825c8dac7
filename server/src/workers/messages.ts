import type { Batch } from '@guard/analytics';
import type { Session } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import type { SharedMemory } from '@guard/validator';
import type { Addresses } from '../listeners/listen.ts';
import type { MetricsReport } from '../metrics/metrics.ts';

/** What a worker thread gets when it starts. */
export interface WorkerData {
  readonly settings: Settings;
  /** Where the main thread listens. Workers share the addresses of the gateway, with their ports known. */
  readonly addresses: Addresses;
  readonly memory: SharedMemory;
  /** One Int32: how many batches of events wait for the database. */
  readonly backlog: Int32Array<SharedArrayBuffer>;
}

/** A judged session that the other threads must know. `expiresAt` in milliseconds since the epoch. */
export interface SharedSession {
  readonly id: string;
  readonly session: Session;
  readonly expiresAt: number;
}

export type MessageToWorker =
  /** Sessions that were judged before this worker started. It sends no reply. */
  | { readonly kind: 'sessions'; readonly sessions: readonly SharedSession[] }
  /** The worker replies with `session-received` and the same number. */
  | { readonly kind: 'session'; readonly shared: SharedSession; readonly number: number }
  /** The reply to a `share-session` of this worker, with the same number. */
  | { readonly kind: 'session-shared'; readonly number: number }
  /** The worker replies with `reloaded` and the same number. */
  | { readonly kind: 'reload'; readonly settings: Settings; readonly number: number }
  | { readonly kind: 'close' };

export type MessageFromWorker =
  | { readonly kind: 'listening' }
  | { readonly kind: 'start-failed'; readonly reason: string }
  /** This worker judged a session. The main thread replies `session-shared` when every thread has it. */
  | { readonly kind: 'share-session'; readonly shared: SharedSession; readonly number: number }
  | { readonly kind: 'session-received'; readonly number: number }
  | { readonly kind: 'metrics'; readonly report: MetricsReport }
  /** `outbox`: a batch for the database. `disk`: the rows that a batch has so far, for its file. */
  | { readonly kind: 'events'; readonly to: 'outbox' | 'disk'; readonly batch: Batch }
  /** `fault` says why the worker could not apply the settings. */
  | { readonly kind: 'reloaded'; readonly fault: string | undefined; readonly number: number }
  /** The worker has finished all requests, and has sent its last events and metrics. */
  | { readonly kind: 'closed' };
