import type { Clock, Log, Session } from '@guard/config/contract/ports';
import {
  allocateStore,
  MemoryStore,
  type MemoryStoreLimits,
  type SharedMemory,
} from './memory-store.ts';
import { Snapshot } from './snapshot.ts';

export interface LastingStoreOptions {
  /** The folder of its snapshot. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: MemoryStoreLimits;
}

/** A store in memory that keeps its content over a restart of the process. */
export class LastingStore extends MemoryStore {
  readonly #now: Clock;
  #snapshot: Snapshot | undefined;

  static async open({ limits, ...options }: LastingStoreOptions): Promise<LastingStore> {
    const memory = allocateStore(limits);
    const store = new LastingStore(options.clock, limits, memory);
    store.#snapshot = await Snapshot.open({ ...options, memory, store });
    return store;
  }

  private constructor(clock: Clock, limits: MemoryStoreLimits | undefined, memory: SharedMemory) {
    super(clock, limits, memory);
    this.#now = clock;
  }

  /** Keeps a session that an earlier process judged. `expiresAt` is in epoch milliseconds. */
  adopt(id: string, session: Session, expiresAt: number): void {
    this.keepSession(id, session, expiresAt - this.#now());
  }

  override async close(): Promise<void> {
    await this.#snapshot?.close();
    await super.close();
  }
}
