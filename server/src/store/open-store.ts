import type { SessionStore } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import {
  LastingStore,
  MemoryStore,
  type SharedMemory,
  Snapshot,
  type ThreadStore,
} from '@guard/validator';
import type { ProcessContext } from '../process/process-context.ts';
import { createSnapshotAge } from './snapshot-age.ts';
import type { WatchedRanges } from './watch-crawler-ranges.ts';

/** A store in memory that all worker threads share. */
export interface SharedStore {
  /** Of the main thread. */
  readonly store: ThreadStore;
  readonly memory: SharedMemory;
}

export interface OpenStore {
  readonly store: SessionStore;
  /**
   * Tells the instances that share the store when the oldest list of crawler addresses here was confirmed,
   * and gives that of the instance whose is newest. Absent where nobody shares it.
   */
  readonly newestRangesAt?: WatchedRanges['newestAt'];
  close(): Promise<void>;
}

/**
 * The store of sessions, spent tickets and budgets that the settings name; filled, as far as that goes.
 * In memory it is `shared`, where there are worker threads.
 */
export async function openStore(
  settings: Settings['store'],
  { clock, log, metrics }: ProcessContext,
  shared: SharedStore | undefined,
): Promise<OpenStore> {
  switch (settings.engine) {
    case 'redis': {
      // Its client takes 70 ms to load, which an installation without Redis need not wait for.
      const { RedisStore } = await import('@guard/validator/redis-store');
      const store = await RedisStore.open({ url: settings.url, clock, log, metrics });
      return { ...closing(store), newestRangesAt: (at) => store.newest('crawler-ranges', at) };
    }
    case 'memory': {
      // There is none to be away, and a panel or an alarm need not know that.
      metrics.gauge('guard_store_away', () => 0);
      const { path: folder } = settings;
      const opened = shared
        ? await openShared(shared, folder, { clock, log })
        : closing(
            folder === undefined
              ? new MemoryStore(clock)
              : await LastingStore.open({ folder, clock, log }),
          );
      metrics.gauge('guard_sessions', () => opened.store.sessionCount);
      if (folder !== undefined) {
        metrics.gauge('guard_store_snapshot_age_seconds', createSnapshotAge(folder, clock));
      }
      return opened;
    }
  }
}

async function openShared(
  { store, memory }: SharedStore,
  folder: string | undefined,
  ports: Pick<ProcessContext, 'clock' | 'log'>,
) {
  if (folder === undefined) return closing(store);
  const snapshot = await Snapshot.open({ folder, memory, store, ...ports });
  return { store, close: () => snapshot.close() };
}

function closing<Store extends SessionStore>(store: Store) {
  return { store, close: () => store.close() };
}
