import { hash, timingSafeEqual } from 'node:crypto';
import type { AuthenticateBearer, Clock } from '../../contract/ports.ts';
import type { Organisation } from '../schema.ts';

interface KeyEntry {
  readonly key: Buffer;
  readonly expires?: number | undefined;
}

/**
 * Finds the entry of a presented key. Keys are held as SHA-256; every entry is compared, in constant
 * time, so that the time reveals neither a match nor its place.
 */
export class KeyRing<T extends KeyEntry> {
  readonly #entries: readonly T[];
  /** SHA-256 of the presented key. */
  readonly #presented = Buffer.alloc(32);

  constructor(entries: readonly T[]) {
    this.#entries = entries;
  }

  /** The valid entry with the presented key, or undefined. `nowMs` is milliseconds since the epoch. */
  find(presented: string, nowMs: number): T | undefined {
    // Uses an existing Buffer, because a new one costs more than the hash.
    this.#presented.write(hash('sha256', presented, 'binary'), 'binary');
    let found: T | undefined;
    for (const entry of this.#entries) {
      if (timingSafeEqual(entry.key, this.#presented)) found = entry;
    }
    return found?.expires !== undefined && found.expires <= nowMs ? undefined : found;
  }
}

/** RFC 6750 bearer tokens against the analytics keys of all organisations (contract 5). */
export function createBearerAuth(
  organisations: readonly Pick<Organisation, 'id' | 'analytics_keys'>[],
  clock: Clock,
): AuthenticateBearer {
  const ring = new KeyRing(
    organisations.flatMap(({ id: organisation, analytics_keys }) =>
      analytics_keys.map(({ id, key, expires }) => {
        return { key, expires, holder: { organisation, key: id } };
      }),
    ),
  );
  return (authorization) => {
    const token = /^Bearer +([!-~]{1,256})$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : ring.find(token, clock())?.holder;
  };
}
