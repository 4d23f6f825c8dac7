import { readFile, stat } from 'node:fs/promises';
import type { SharedPlace } from '@guard/config/settings/derived/data-places';
import type { EditText, RedisStore, TextChange } from '@guard/validator/redis-store';
import { keepFile } from '../process/keep-file.ts';

type TextReading =
  /** `text` is empty when it was never written. */
  | { readonly kind: 'read'; readonly text: string }
  /** The text has not changed since the last call. */
  | { readonly kind: 'same' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Reads the text. It is called regularly, and never rejects. */
export type ReadText = () => Promise<TextReading>;

/**
 * Replaces the text with the result of `edit` in one atomic step. When the result is undefined, the text stays. `lost`
 * means that the text could not be read or written. Never rejects.
 */
export type ChangeText = (edit: EditText) => Promise<TextChange>;

/** The place of a text, and its name in Redis. */
export interface SharedTextOptions {
  readonly place: SharedPlace;
  readonly name: string;
  /** The store, when the place is in Redis. */
  readonly redis: Pick<RedisStore, 'sharedText' | 'changeSharedText'> | undefined;
}

const SAME_TEXT: TextReading = { kind: 'same' };

/** Returns a function that reads the text. A file with more than `maxBytes` is refused. */
export function createReadText(
  { place, name, redis }: SharedTextOptions,
  maxBytes: number,
): ReadText {
  switch (place.kind) {
    case 'redis':
      return redis === undefined ? () => Promise.resolve(SAME_TEXT) : readFromRedis(redis, name);
    case 'file':
      return readFromFile(place.file, maxBytes);
    case 'none':
      return () => Promise.resolve(SAME_TEXT);
  }
}

function readFromRedis(redis: Pick<RedisStore, 'sharedText'>, name: string): ReadText {
  let lastText: Awaited<ReturnType<typeof redis.sharedText>>;
  return async () => {
    const sharedText = await redis.sharedText(name, lastText);
    if (sharedText === undefined)
      return { kind: 'failed', reason: 'the shared store does not answer' };
    if (sharedText === lastText) return SAME_TEXT;
    lastText = sharedText;
    return { kind: 'read', text: sharedText.text };
  };
}

function readFromFile(file: string, maxBytes: number): ReadText {
  let lastState = '';
  return async () => {
    try {
      const { ino, size, mtimeNs } = await stat(file, { bigint: true });
      const state = [ino, size, mtimeNs].join(' ');
      if (state === lastState) return SAME_TEXT;
      if (size > maxBytes) return { kind: 'failed', reason: 'the file is too large' };
      const text = await readFile(file, 'utf8');
      // This is set only after a successful read: a change of mode or owner can make the file readable without a new
      // state.
      lastState = state;
      return { kind: 'read', text };
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'ENOENT') return { kind: 'failed', reason: code };
      if (lastState === 'none') return SAME_TEXT;
      lastState = 'none';
      return { kind: 'read', text: '' };
    }
  };
}

/** Redis keeps the text for `ttlMs` after the last change. */
export function createChangeText(
  { place, name, redis }: SharedTextOptions,
  ttlMs: number,
): ChangeText {
  switch (place.kind) {
    case 'redis':
      return redis === undefined
        ? () => Promise.resolve('lost')
        : (edit) => redis.changeSharedText(name, edit, ttlMs);
    case 'file':
      return changeFile(place.file);
    case 'none':
      return () => Promise.resolve('lost');
  }
}

/**
 * Writes a file that only this user can read. Only one process writes the file, because each Guard has its own folder.
 */
function changeFile(file: string): ChangeText {
  return async (edit) => {
    try {
      const text = edit(await readOrEmpty(file));
      if (text === undefined) return 'left';
      return (await keepFile(file, text, 0o600)) === undefined ? 'changed' : 'lost';
    } catch {
      return 'lost';
    }
  };
}

async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}
