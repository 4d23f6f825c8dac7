import { hash } from 'node:crypto';
import type { AuthenticateBearer, Clock } from '../../contract/ports.ts';
import type { Organisation } from '../schema.ts';

/**
 * Finds the entry of a key by the SHA-256 of the key. So the time that a look-up takes can reveal only facts about
 * digests.
 */
export class KeyRing<T extends { readonly key: Buffer; readonly expires?: number | undefined }> {
  /** The entries by the SHA-256 of the key, one character for each byte. */
  readonly #entries: ReadonlyMap<string, T>;

  constructor(entries: readonly T[]) {
    this.#entries = new Map(entries.map((entry) => [entry.key.toString('binary'), entry]));
  }

  /**
   * The entry of a presented key. Undefined when the key is unknown or expired. `nowMs` is in milliseconds since the
   * epoch.
   */
  find(presentedKey: string, nowMs: number): T | undefined {
    const entry = this.#entries.get(hash('sha256', presentedKey, 'binary'));
    return entry?.expires !== undefined && entry.expires <= nowMs ? undefined : entry;
  }
}

/** Checks RFC 6750 bearer tokens against the analytics keys of all organisations (contract 5). */
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
