import { join } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../schema.ts';

/** The folder for data that has to survive a restart. Undefined if the settings name none. */
export function dataFolder({ store, analytics }: Settings): string | undefined {
  const storePath = store.engine === 'memory' ? store.path : undefined;
  return storePath ?? (analytics?.engine === 'embedded' ? analytics.path : undefined);
}

const nonEmptyText = z.string().min(1);
const WithStorePath = z.object({ store: z.object({ path: nonEmptyText }) });
const WithEmbeddedPath = z.object({
  analytics: z.object({ engine: z.literal('embedded'), path: nonEmptyText }),
});

/** The result of `dataFolder` for settings that are not checked yet. */
export function dataFolderIn(value: unknown): string | undefined {
  const withStore = WithStorePath.safeParse(value);
  if (withStore.success) return withStore.data.store.path;
  const withEmbedded = WithEmbeddedPath.safeParse(value);
  return withEmbedded.success ? withEmbedded.data.analytics.path : undefined;
}

/** The folder for fetched ranges of crawlers. The folder can be missing. Undefined if the settings name none. */
export function crawlerRangesFolder(settings: Settings): string | undefined {
  const folder = dataFolder(settings);
  return settings.crawlers.ranges ?? (folder === undefined ? undefined : join(folder, 'crawlers'));
}

export type RedisPlace = Omit<Extract<Settings['store'], { engine: 'redis' }>, 'engine'>;

/** The place for a text that has to survive a restart. */
export type SharedPlace =
  /** All instances that use this Redis share the text. */
  | { readonly kind: 'redis'; readonly redis: RedisPlace }
  /** All processes that use this folder share the text. */
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'none' };

/** Returns the place for a text. `name` is the name of its file. */
export function sharedPlace(settings: Settings, name: string): SharedPlace {
  const { store } = settings;
  if (store.engine === 'redis') return { kind: 'redis', redis: store };
  const folder = dataFolder(settings);
  return folder === undefined ? { kind: 'none' } : { kind: 'file', file: join(folder, name) };
}

export function decisionsPlace(settings: Settings): SharedPlace {
  return sharedPlace(settings, 'decisions.json');
}
