import { join } from 'node:path';
import { dataFolder } from './data-folder.ts';
import type { Settings } from './schema.ts';

/** Where temporary decisions are kept. */
export type DecisionsPlace =
  /** All instances that share the Redis have the same decisions. */
  | { readonly kind: 'redis'; readonly url: string }
  /** All processes that have the folder have the same decisions. */
  | { readonly kind: 'file'; readonly file: string }
  /** These settings name no folder. */
  | { readonly kind: 'none' };

export function decisionsPlace(settings: Settings): DecisionsPlace {
  const { store } = settings;
  if (store.engine === 'redis') return { kind: 'redis', url: store.url };
  const folder = dataFolder(settings);
  return folder === undefined
    ? { kind: 'none' }
    : { kind: 'file', file: join(folder, 'decisions.json') };
}
