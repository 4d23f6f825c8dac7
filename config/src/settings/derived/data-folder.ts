import { z } from 'zod';
import type { Settings } from '../schema.ts';

/** The folder where Guard keeps what is to survive a restart. Undefined where these settings name none. */
export function dataFolder({ store, analytics }: Settings): string | undefined {
  const kept = store.engine === 'memory' ? store.path : undefined;
  return kept ?? (analytics?.engine === 'embedded' ? analytics.path : undefined);
}

const text = z.string().min(1);
const Kept = z.object({ store: z.object({ path: text }) });
const Embedded = z.object({ analytics: z.object({ engine: z.literal('embedded'), path: text }) });

/** The same folder of settings that are not checked yet, given as plain data of any shape. */
export function dataFolderIn(value: unknown): string | undefined {
  const kept = Kept.safeParse(value);
  if (kept.success) return kept.data.store.path;
  const embedded = Embedded.safeParse(value);
  return embedded.success ? embedded.data.analytics.path : undefined;
}
