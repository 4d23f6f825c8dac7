import { z } from 'zod';
import { dataFolderIn } from '../derived/data-places.ts';
import type { Contradiction } from './repeated.ts';

const urlSetting = z.object({ url: z.string() });
const Outline = z.object({
  databases: z.object({
    country: urlSetting.optional().catch(undefined),
    asn: urlSetting.optional().catch(undefined),
  }),
});

/** Finds database URLs without a folder for their copies. */
export function findDatabasesWithoutFolder(value: unknown): Contradiction[] {
  const outline = Outline.safeParse(value);
  if (!outline.success || dataFolderIn(value) !== undefined) return [];
  const message =
    'expected store.path, or analytics with the engine embedded: the last good copy of the database is kept in that folder';
  return Object.entries(outline.data.databases).flatMap(([kind, namedUrl]) =>
    namedUrl === undefined ? [] : [{ path: ['databases', kind, 'url'], message }],
  );
}
