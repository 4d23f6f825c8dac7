import { z } from 'zod';
import { dataFolderIn } from '../derived/data-places.ts';
import type { Contradiction } from './repeated.ts';

const url = z.object({ url: z.string() });
const Outline = z.object({
  databases: z.object({
    country: url.optional().catch(undefined),
    asn: url.optional().catch(undefined),
  }),
});

/** Database URLs without a folder for their copies, in plain settings data of any shape. */
export function findHomelessDatabases(value: unknown): Contradiction[] {
  const read = Outline.safeParse(value);
  if (!read.success || dataFolderIn(value) !== undefined) return [];
  const message =
    'expected store.path, or analytics with the engine embedded: the last good copy of the database is kept in that folder';
  return Object.entries(read.data.databases).flatMap(([kind, named]) =>
    named === undefined ? [] : [{ path: ['databases', kind, 'url'], message }],
  );
}
