import type { Clock, Log } from '@guard/config/contract/ports';
import { allocateStore, MemoryStore, type MemoryStoreLimits } from './memory-store.ts';
import { Snapshot } from './snapshot.ts';

interface LastingStoreOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: MemoryStoreLimits;
}

export class LastingStore extends MemoryStore {
  #snapshot: Snapshot | undefined;

  static async open({ limits, ...options }: LastingStoreOptions): Promise<LastingStore> {
    const memory = allocateStore(limits);
    const store = new LastingStore(options.clock, limits, memory);
    store.#snapshot = await Snapshot.open({ ...options, memory, store });
    return store;
  }

  override async close(): Promise<void> {
    await this.#snapshot?.close();
    await super.close();
  }
}
