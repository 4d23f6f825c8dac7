import { readFile, stat } from 'node:fs/promises';
import type { DecisionsPlace } from '@guard/config/settings/decisions-place';
import {
  MAX_DECISIONS_LENGTH,
  readDecisions,
  type TemporaryDecision,
} from '@guard/config/settings/temporary-decision';
import type { RedisStore } from '@guard/validator/redis-store';

export type DecisionsRead =
  | { readonly kind: 'read'; readonly decisions: readonly TemporaryDecision[] }
  /** Nothing changed since the last `read`. */
  | { readonly kind: 'same' }
  /** The list that was read last stays in force. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Asked again and again. Never rejects. */
export type ReadDecisions = () => Promise<DecisionsRead>;

const SAME: DecisionsRead = { kind: 'same' };

/** `redis` is the store of a place in Redis, and is not needed for another one. */
export function createReadDecisions(
  place: DecisionsPlace,
  redis: Pick<RedisStore, 'sharedText'> | undefined,
): ReadDecisions {
  switch (place.kind) {
    case 'redis':
      return redis === undefined ? () => Promise.resolve(SAME) : fromRedis(redis);
    case 'file':
      return fromFile(place.file);
    case 'none':
      return () => Promise.resolve(SAME);
  }
}

function fromRedis(redis: Pick<RedisStore, 'sharedText'>): ReadDecisions {
  let known: Awaited<ReturnType<typeof redis.sharedText>>;
  return async () => {
    const held = await redis.sharedText('decisions', known);
    if (held === undefined) return { kind: 'failed', reason: 'the shared store is away' };
    if (held === known) return SAME;
    known = held;
    return parsed(held.text);
  };
}

function fromFile(file: string): ReadDecisions {
  let known = '';
  return async () => {
    try {
      const { ino, size, mtimeNs } = await stat(file, { bigint: true });
      const state = [ino, size, mtimeNs].join(' ');
      if (state === known) return SAME;
      if (size > 4 * MAX_DECISIONS_LENGTH) return { kind: 'failed', reason: 'it is too large' };
      const text = await readFile(file, 'utf8');
      // A file that cannot be read yet is asked for again: a change of its mode or owner shows in no state.
      known = state;
      return parsed(text);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
      if (code !== 'ENOENT') return { kind: 'failed', reason: code };
      if (known === 'none') return SAME;
      known = 'none';
      return { kind: 'read', decisions: [] };
    }
  };
}

function parsed(text: string): DecisionsRead {
  const decisions = readDecisions(text);
  return decisions === undefined
    ? { kind: 'failed', reason: 'it is no list of temporary decisions' }
    : { kind: 'read', decisions };
}
