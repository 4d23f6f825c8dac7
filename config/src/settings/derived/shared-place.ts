import { join } from 'node:path';
import { dataFolder } from './data-folder.ts';
import type { Settings } from '../schema.ts';

/** Where a text is kept that outlasts a restart. */
export type SharedPlace =
  /** All instances that share the Redis have the same text. */
  | { readonly kind: 'redis'; readonly url: string }
  /** All processes that have the folder have the same text. */
  | { readonly kind: 'file'; readonly file: string }
  /** These settings name no folder. */
  | { readonly kind: 'none' };

/** The place of a text; `name` is that of its file. */
export function sharedPlace(settings: Settings, name: string): SharedPlace {
  const { store } = settings;
  if (store.engine === 'redis') return { kind: 'redis', url: store.url };
  const folder = dataFolder(settings);
  return folder === undefined ? { kind: 'none' } : { kind: 'file', file: join(folder, name) };
}
