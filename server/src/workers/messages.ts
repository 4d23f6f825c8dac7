import type { Batch } from '@guard/analytics';
import type { Session } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import type { SharedMemory } from '@guard/validator';
import type { Addresses } from '../listeners/listen.ts';
import type { Tally } from '../metrics/metrics.ts';

/** What a worker thread is begun with. */
export interface Beginning {
  readonly settings: Settings;
  /** Where the main thread listens: the gateway's own addresses are shared, with their ports known. */
  readonly addresses: Addresses;
  readonly memory: SharedMemory;
  /** One Int32: batches of events that wait for the database. */
  readonly backlog: Int32Array<SharedArrayBuffer>;
}

/** A judged session that another thread has to know. `expiresAt` in epoch milliseconds. */
export interface Announced {
  readonly id: string;
  readonly session: Session;
  readonly expiresAt: number;
}

/** Main thread to worker. */
export type Order =
  /** Sessions of before this worker began; no answer. */
  | { readonly kind: 'sessions'; readonly sessions: readonly Announced[] }
  /** Answered with `heard` and the same number. */
  | { readonly kind: 'session'; readonly announced: Announced; readonly number: number }
  /** Answers the worker's own announcement of that number. */
  | { readonly kind: 'known'; readonly number: number }
  /** Answered with `reloaded` and the same number. */
  | { readonly kind: 'reload'; readonly settings: Settings; readonly number: number }
  | { readonly kind: 'close' };

/** Worker to main thread. */
export type Report =
  | { readonly kind: 'listening' }
  /** It could not begin. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** A session was judged here; answered with `known` when every thread has it. */
  | { readonly kind: 'announce'; readonly announced: Announced; readonly number: number }
  | { readonly kind: 'heard'; readonly number: number }
  | { readonly kind: 'counted'; readonly tally: Tally }
  /** For the database, or what a batch has by now, for the disk. */
  | { readonly kind: 'events'; readonly to: 'outbox' | 'disk'; readonly batch: Batch }
  /** `fault` says why it could not follow. */
  | { readonly kind: 'reloaded'; readonly fault: string | undefined; readonly number: number }
  /** Nothing is under way any more, and everything is told. */
  | { readonly kind: 'closed' };
