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
import { openRedis } from '../running-guard/open-redis.ts';
import { fileFault } from '../terminal/faults.ts';

type Decisions = readonly TemporaryDecision[];

/**
 * Returns the new list of current decisions and a result. When it returns a string, this is the reason why nothing
 * changes.
 */
type Edit<T> = (
  current: Decisions,
) => { readonly decisions: Decisions; readonly result: T } | string;

/** When the outcome is a text, it tells the user why nothing was written. */
type EditOutcome<T> = { readonly result: T } | string;

const NO_ANSWER = 'the Redis of the settings gives no answer';
const LOST_RACE = `${NO_ANSWER}, or others change the decisions all the time; try again`;
const UNREADABLE_LIST =
  'is no list of temporary decisions; move it away, and Guard begins a new one';

/** The current temporary decisions. Empty when the settings name no place for them. */
export function currentDecisions(settings: Settings, now: number): Promise<EditOutcome<Decisions>> {
  const place = decisionsPlace(settings);
  switch (place.kind) {
    case 'none':
      return Promise.resolve({ result: [] });
    case 'file':
      return Promise.resolve(decisionsInFile(place.file, now));
    case 'redis':
      return withRedis(place.redis, async (store) => {
        const sharedText = await store.sharedText('decisions');
        if (sharedText === undefined) return NO_ANSWER;
        return parseCurrent(sharedText.text, now) ?? `the list in Redis ${UNREADABLE_LIST}`;
      });
  }
}

function decisionsInFile(file: string, now: number): EditOutcome<Decisions> {
  try {
    return parseCurrent(readFileSync(file, 'utf8'), now) ?? `${file} ${UNREADABLE_LIST}`;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? { result: [] } : `${file}: ${fileFault(error)}`;
  }
}

function parseCurrent(text: string, now: number): { readonly result: Decisions } | undefined {
  const decisions = readDecisions(text);
  return decisions && { result: decisions.filter(({ until }) => until > now) };
}

/** Replaces the current temporary decisions with the result of `edit` in one step. */
export async function changeDecisions<T>(
  settings: Settings,
  now: number,
  edit: Edit<T>,
): Promise<EditOutcome<T>> {
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

async function changeFile<T>(file: string, now: number, edit: Edit<T>): Promise<EditOutcome<T>> {
  const fault = makeFile(file);
  if (fault !== undefined) return fault;
  const outcome = await replaceFile(file, (text): Change<EditOutcome<T>> => {
    const changedDecisions = applyEdit(text, now, edit);
    if (changedDecisions === undefined)
      return { kind: 'leave', result: `${file} ${UNREADABLE_LIST}` };
    return typeof changedDecisions === 'string'
      ? { kind: 'leave', result: changedDecisions }
      : { kind: 'write', text: changedDecisions.text, result: changedDecisions };
  });
  return typeof outcome === 'string' ? outcome : outcome.result;
}

/**
 * Creates an empty file that the owner of the folder can read, if there is no file. When this fails, returns the
 * reason.
 */
function makeFile(file: string): string | undefined {
  const folder = dirname(file);
  try {
    const { uid, gid } = statSync(folder);
    const handle = openSync(file, 'ax', 0o600);
    // This uses the handle and not the name. The command can run as root, and Guard as another user, who could replace
    // the file with a link.
    if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
    closeSync(handle);
    return undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    return `${folder}: ${fileFault(error)}; Guard makes the folder when it starts`;
  }
}

function changeRedis<T>(redis: RedisPlace, now: number, edit: Edit<T>): Promise<EditOutcome<T>> {
  return withRedis(redis, async (store) => {
    const unreadable = `the list in Redis ${UNREADABLE_LIST}`;
    let lastOutcome: EditOutcome<T> = unreadable;
    const editText = (text: string): string | undefined => {
      const changedDecisions = applyEdit(text, now, edit);
      // Only the last attempt gives the outcome, because earlier attempts wrote nothing.
      lastOutcome = changedDecisions ?? unreadable;
      return typeof changedDecisions === 'object' ? changedDecisions.text : undefined;
    };
    const outcome = await store.changeSharedText('decisions', editText, MAX_DECISION_MS);
    return outcome === 'lost' ? LOST_RACE : lastOutcome;
  });
}

async function withRedis<T>(redis: RedisPlace, use: (store: RedisStore) => Promise<T>): Promise<T> {
  const store = await openRedis(redis);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/**
 * Applies an edit to the stored text. Expired decisions are removed. Undefined when the text is not a list of
 * decisions.
 */
function applyEdit<T>(
  text: string,
  now: number,
  edit: Edit<T>,
): { readonly text: string; readonly result: T } | string | undefined {
  const current = parseCurrent(text, now);
  if (current === undefined) return undefined;
  const change = edit(current.result);
  return typeof change === 'string'
    ? change
    : { text: writeDecisions(change.decisions), result: change.result };
}
