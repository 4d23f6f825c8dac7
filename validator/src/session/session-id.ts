import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Sealer } from './sealer.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Up to here a UUID is random but for version and variant: 74 bits. The last group is the MAC, 48 bits. */
const MAC_FROM = 24;
const MAC_BYTES = 6;

/**
 * The value of `_guard`: a UUID (version 8, RFC 9562) whose last group is a MAC over the rest and the
 * organisation. A forged one is told apart without a store, and nothing is stored for a visitor
 * before a pass.
 */
export interface SessionIds {
  mint(organisation: string): string;
  /** True for a UUID this installation made for this organisation. */
  isOurs(organisation: string, id: string): boolean;
}

/** Ids whose MAC was found right, kept so that a visitor's next requests cost a look-up. */
const MAX_KNOWN = 50_000;

export function createSessionIds(sealer: Sealer): SessionIds {
  const known = new LRUCache<string, string>({ max: MAX_KNOWN });
  return {
    mint(organisation) {
      // node:crypto draws UUIDs in batches, which costs a tenth of drawing bytes one id at a time.
      const uuid = randomUUID();
      const random = `${uuid.slice(0, 14)}8${uuid.slice(15, MAC_FROM)}`;
      return random + sealer.seal([organisation, random], MAC_BYTES).toString('hex');
    },
    isOurs(organisation, id) {
      if (known.get(id) === organisation) return true;
      if (!UUID.test(id)) return false;
      const lower = id.toLowerCase();
      const mac = Buffer.from(lower.slice(MAC_FROM), 'hex');
      const ours = sealer.verify([organisation, lower.slice(0, MAC_FROM)], mac);
      if (ours) known.set(id, organisation);
      return ours;
    },
  };
}
