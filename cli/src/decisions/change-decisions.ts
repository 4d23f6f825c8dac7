import { closeSync, fchownSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { decisionsPlace, type RedisPlace } from '@guard/config/settings/derived/data-places';
import type { Settings } from '@guard/config/settings/schema';
import {
  MAX_DECISION_MS,
  readDecisions,
  type TemporaryDecision,
  writeDecisions,
} from '@guard/config/settings/derived/temporary-decision';
import type { RedisStore } from '@guard/validator/redis-store';
import { type Change, replaceFile } from '../files/replace-file.ts';
import { fileFault } from '../terminal/faults.ts';

type Decisions = readonly TemporaryDecision[];

/** Returns the new list of current decisions and a result. A string is the reason why nothing changes. */
export type Edit<T> = (
  standing: Decisions,
) => { readonly decisions: Decisions; readonly result: T } | string;

/** A text is for the user: the reason why nothing was written. */
export type Changed<T> = { readonly result: T } | string;

const AWAY = 'the Redis of the settings gives no answer';
const LOST = `${AWAY}, or others change the decisions all the time; try again`;
const UNREADABLE = 'is no list of temporary decisions; move it away, and Guard begins a new one';

/** The current temporary decisions. Empty when the settings name no place for them. */
export function currentDecisions(settings: Settings, now: number): Promise<Changed<Decisions>> {
  const place = decisionsPlace(settings);
  switch (place.kind) {
    case 'none':
      return Promise.resolve({ result: [] });
    case 'file':
      return Promise.resolve(standingInFile(place.file, now));
    case 'redis':
      return withRedis(place.redis, async (store) => {
        const held = await store.sharedText('decisions');
        if (held === undefined) return AWAY;
        return currentIn(held.text, now) ?? `the list in Redis ${UNREADABLE}`;
      });
  }
}

function standingInFile(file: string, now: number): Changed<Decisions> {
  try {
    return currentIn(readFileSync(file, 'utf8'), now) ?? `${file} ${UNREADABLE}`;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? { result: [] } : `${file}: ${fileFault(error)}`;
  }
}

function currentIn(text: string, now: number): { readonly result: Decisions } | undefined {
  const decisions = readDecisions(text);
  return decisions && { result: decisions.filter(({ until }) => until > now) };
}

/** Reads the current temporary decisions and replaces them by the result of `edit` in one step. */
export async function changeDecisions<T>(
  settings: Settings,
  now: number,
  edit: Edit<T>,
): Promise<Changed<T>> {
  const place = decisionsPlace(settings);
  switch (place.kind) {
    case 'none':
      return 'these settings name no folder for decisions; set `store: { engine: memory, path: ./store }`, and start Guard again';
    case 'file':
      return changeFile(place.file, now, edit);
    case 'redis':
      return changeRedis(place.redis, now, edit);
  }
}

async function changeFile<T>(file: string, now: number, edit: Edit<T>): Promise<Changed<T>> {
  const fault = makeFile(file);
  if (fault !== undefined) return fault;
  const replaced = await replaceFile(file, (text): Change<Changed<T>> => {
    const changed = applyEdit(text, now, edit);
    if (changed === undefined) return { kind: 'leave', result: `${file} ${UNREADABLE}` };
    return typeof changed === 'string'
      ? { kind: 'leave', result: changed }
      : { kind: 'write', text: changed.text, result: changed };
  });
  return typeof replaced === 'string' ? replaced : replaced.result;
}

/** Creates an empty file that the user of the folder can read, if there is none. Returns the reason when it cannot. */
function makeFile(file: string): string | undefined {
  const folder = dirname(file);
  try {
    const { uid, gid } = statSync(folder);
    const handle = openSync(file, 'ax', 0o600);
    // The command may run as root and Guard as another user, who could replace the name by a link.
    if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
    closeSync(handle);
    return undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    return `${folder}: ${fileFault(error)}; Guard makes the folder when it starts`;
  }
}

function changeRedis<T>(redis: RedisPlace, now: number, edit: Edit<T>): Promise<Changed<T>> {
  return withRedis(redis, async (store) => {
    const unreadable = `the list in Redis ${UNREADABLE}`;
    let made: Changed<T> = unreadable;
    const change = (text: string): string | undefined => {
      const changed = applyEdit(text, now, edit);
      // From the last attempt only, because earlier ones wrote nothing.
      made = changed ?? unreadable;
      return typeof changed === 'object' ? changed.text : undefined;
    };
    const outcome = await store.changeSharedText('decisions', change, MAX_DECISION_MS);
    return outcome === 'lost' ? LOST : made;
  });
}

async function withRedis<T>(redis: RedisPlace, use: (store: RedisStore) => Promise<T>): Promise<T> {
  const { RedisStore } = await import('@guard/validator/redis-store');
  const store = await RedisStore.open({
    ...redis,
    clock: Date.now,
    log: () => undefined,
    metrics: { count: () => undefined, gauge: () => undefined },
  });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Expired decisions are removed. Undefined for a text that is not a list of decisions. */
function applyEdit<T>(
  text: string,
  now: number,
  edit: Edit<T>,
): { readonly text: string; readonly result: T } | string | undefined {
  const standing = currentIn(text, now);
  if (standing === undefined) return undefined;
  const made = edit(standing.result);
  return typeof made === 'string'
    ? made
    : { text: writeDecisions(made.decisions), result: made.result };
}
