import { join } from 'node:path';
import { z } from 'zod';
import { SessionDigest } from '../sections/rule.ts';
import type { Settings } from '../schema.ts';
import { dataFolder } from './data-places.ts';
import { Identifier } from '../values/values.ts';

/** The person: one address in the spelling of events, or one session by its digest. */
export const Person = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('address'), value: z.union([z.ipv4(), z.ipv6()]) }),
  z.strictObject({ kind: z.literal('session'), value: SessionDigest }),
]);
export type Person = z.infer<typeof Person>;

/** The request of `guard forget` to a running Guard. `count` only counts, and changes nothing. */
export const ForgetRequest = z.strictObject({
  act: z.enum(['count', 'delete']),
  organisation: Identifier,
  person: Person,
  /** The user account and the machine from which the request comes. */
  by: z.string().regex(/^\P{Cc}{1,200}$/u),
});
export type ForgetRequest = z.infer<typeof ForgetRequest>;

const count = z.int().nonnegative();

export const ForgetAnswer = z.discriminatedUnion('kind', [
  /** `waiting`: events of all people that are not in the database yet, because the database is away or slow. */
  z.strictObject({ kind: z.literal('counted'), rows: count, waiting: count }),
  /** `left`: rows that are still in the database. `audit`: the digest that the log contains instead of the person. */
  z.strictObject({
    ...{ kind: z.literal('deleted'), rows: count, left: count, waiting: count },
    audit: z.string(),
  }),
  /** It is possible that nothing was deleted. `message` is a sentence. */
  z.strictObject({ kind: z.literal('refused'), message: z.string() }),
]);
export type ForgetAnswer = z.infer<typeof ForgetAnswer>;

/**
 * The socket on which a Guard with these settings accepts requests from its own account and from root. Undefined when
 * the settings name no folder or no database.
 */
export function controlSocket(settings: Settings): string | undefined {
  const { analytics } = settings;
  if (analytics === undefined) return undefined;
  const databaseFolder = analytics.engine === 'clickhouse' ? analytics.spill : analytics.path;
  const folder = dataFolder(settings) ?? databaseFolder;
  return folder === undefined ? undefined : join(folder, 'control', 'guard.sock');
}
