import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, SessionStore } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import {
  LastingStore,
  MemoryStore,
  type SharedMemory,
  Snapshot,
  type ThreadStore,
} from '@guard/validator';
import type { RedisStore } from '@guard/validator/redis-store';
import type { ProcessContext } from '../process/process-context.ts';

/** A store in memory for all worker threads. `store` is the object of the main thread. */
interface SharedStore {
  readonly store: ThreadStore;
  readonly memory: SharedMemory;
}

interface OpenStore {
  readonly store: SessionStore;
  /** The same store. Undefined unless instances share it through Redis. */
  readonly redis?: RedisStore;
  close(): Promise<void>;
}

/** Opens the store of the settings with its saved data. With worker threads, its memory is in `shared`. */
export async function openStore(
  settings: Settings['store'],
  { clock, log, metrics }: ProcessContext,
  sharedStore: SharedStore | undefined,
): Promise<OpenStore> {
  switch (settings.engine) {
    case 'redis': {
      // The Redis client takes 70 ms to load, so only installations with Redis load it.
      const { RedisStore } = await import('@guard/validator/redis-store');
      const store = await RedisStore.open({
        ...settings,
        clock,
        log,
        metrics,
        budgets: sharedStore?.memory.budgets,
      });
      const { refusal } = store;
      if (refusal !== undefined) {
        await store.close();
        throw new Error(`store.url: ${refusal}`);
      }
      return { ...withClose(store), redis: store };
    }
    case 'memory': {
      // A local store is never away. The metric exists for dashboards and alerts.
      metrics.gauge('guard_store_away', () => 0);
      const { path: folder } = settings;
      const memoryStore = sharedStore
        ? await openShared(sharedStore, folder, { clock, log })
        : withClose(
            folder === undefined
              ? new MemoryStore(clock)
              : await LastingStore.open({ folder, clock, log }),
          );
      metrics.gauge('guard_sessions', () => memoryStore.store.sessionCount);
      if (folder !== undefined) {
        metrics.gauge('guard_store_snapshot_age_seconds', createSnapshotAge(folder, clock));
      }
      return memoryStore;
    }
  }
}

async function openShared(
  { store, memory }: SharedStore,
  folder: string | undefined,
  ports: Pick<ProcessContext, 'clock' | 'log'>,
) {
  if (folder === undefined) return withClose(store);
  const snapshot = await Snapshot.open({ folder, memory, store, ...ports });
  return { store, close: () => snapshot.close() };
}

function withClose<Store extends SessionStore>(store: Store) {
  return { store, close: () => store.close() };
}

/**
 * The returned function reads the age of the store's snapshot in `folder`, in seconds. It looks at the file itself, so
 * it notices when a snapshot was not written or was removed. Without a readable file, it returns the time since
 * createSnapshotAge was called.
 */
export function createSnapshotAge(folder: string, clock: Clock): () => number {
  const file = join(folder, 'store.snapshot');
  const openedAt = clock();
  return () => {
    const writtenAt = changeTimeOf(file) ?? openedAt;
    return Math.max(0, Math.round((clock() - writtenAt) / 1000));
  };
}

function changeTimeOf(file: string): number | undefined {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}
