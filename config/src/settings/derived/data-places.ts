import { join } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../schema.ts';

/** The folder for data that survives a restart. Undefined if the settings name no folder. */
export function dataFolder({ store, analytics }: Settings): string | undefined {
  const kept = store.engine === 'memory' ? store.path : undefined;
  return kept ?? (analytics?.engine === 'embedded' ? analytics.path : undefined);
}

const text = z.string().min(1);
const Kept = z.object({ store: z.object({ path: text }) });
const Embedded = z.object({ analytics: z.object({ engine: z.literal('embedded'), path: text }) });

/** The same folder, from settings that are plain data and not checked yet. */
export function dataFolderIn(value: unknown): string | undefined {
  const kept = Kept.safeParse(value);
  if (kept.success) return kept.data.store.path;
  const embedded = Embedded.safeParse(value);
  return embedded.success ? embedded.data.analytics.path : undefined;
}

/** The folder for fetched ranges of crawlers. It need not exist. Undefined if the settings name no folder. */
export function crawlerRangesFolder(settings: Settings): string | undefined {
  const data = dataFolder(settings);
  return settings.crawlers.ranges ?? (data === undefined ? undefined : join(data, 'crawlers'));
}

/** The address of a Redis. */
export type RedisPlace = Omit<Extract<Settings['store'], { engine: 'redis' }>, 'engine'>;

/** Where a text is stored that survives a restart. */
export type SharedPlace =
  /** All instances that use this Redis share the text. */
  | { readonly kind: 'redis'; readonly redis: RedisPlace }
  /** All processes that use this folder share the text. */
  | { readonly kind: 'file'; readonly file: string }
  /** The settings name no folder. */
  | { readonly kind: 'none' };

/** The place of a text; `name` is that of its file. */
export function sharedPlace(settings: Settings, name: string): SharedPlace {
  const { store } = settings;
  if (store.engine === 'redis') return { kind: 'redis', redis: store };
  const folder = dataFolder(settings);
  return folder === undefined ? { kind: 'none' } : { kind: 'file', file: join(folder, name) };
}

/** Where temporary decisions are kept. */
export function decisionsPlace(settings: Settings): SharedPlace {
  return sharedPlace(settings, 'decisions.json');
}
