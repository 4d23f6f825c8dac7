import type { SessionStore } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { LastingStore, MemoryStore, Snapshot } from '@guard/validator';
import type { Ambient } from '../deployment/house.ts';
import type { Crew } from '../workers/crew.ts';
import { createSnapshotAge } from './snapshot-age.ts';
import type { WatchedRanges } from './watch-crawler-ranges.ts';

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
 * With workers, memory is what the crew shares.
 */
export async function openStore(
  settings: Settings['store'],
  { clock, log, metrics }: Ambient,
  crew: Crew | undefined,
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
      const opened = crew
        ? await openShared(crew, folder, { clock, log })
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
  { store, memory }: Crew,
  folder: string | undefined,
  ports: Pick<Ambient, 'clock' | 'log'>,
) {
  if (folder === undefined) return closing(store);
  const snapshot = await Snapshot.open({ folder, memory, store, ...ports });
  return { store, close: () => snapshot.close() };
}

function closing<Store extends SessionStore>(store: Store) {
  return { store, close: () => store.close() };
}
