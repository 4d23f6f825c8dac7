import { randomUUID } from 'node:crypto';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { sessionRoot } from '@guard/config/contract/session-root';
import { UUID } from '@guard/config/contract/uuid';
import { LRUCache } from 'lru-cache';
import type { ShownChallenge } from '../request/facts.ts';
import { detachedCopy } from '../request/detached-copy.ts';
import { challengeMark, shownChallenge } from './challenge-mark.ts';
import type { Sealer } from './sealer.ts';
import { firstGroup, markOf, renewedGroup } from './session-value.ts';

/**
 * Number of characters of the root. The root has 60 random bits. After the root there are 13 bits of state
 * (session-value.ts), and the MAC.
 */
const ROOT_LENGTH = 18;
const MAC_FROM = 24;
const MAC_BYTES = 6;

/**
 * Makes and checks values of `_guard`. A value is a UUID (version 8, RFC 9562) whose last group is a MAC over the other
 * groups and the organisation. So Guard recognises a forged value without a store, and stores nothing before a visitor
 * passes.
 */
export interface SessionIds {
  /**
   * Makes a new value. `challengedAt` is the time of the challenge in the same answer, and undefined without a
   * challenge.
   */
  mint(organisation: string, challengedAt?: number): string;
  /** Whether this installation made the UUID for this organisation. */
  isOurs(organisation: string, id: string): boolean;
  /**
   * The value of a session at this time. Every instance with the same secret returns the same value, from any earlier
   * value of the session. So all tabs of a browser get the same value.
   */
  renewed(organisation: string, id: string, nowMs: number): string;
  /** The digest of a session for events and for the origin (sessionDigest). The result is cached. */
  digestOf(id: string): string;
  /** The challenge that a session without a judgement got recently. `id` must have passed isOurs. */
  shownChallenge(id: string, nowMs: number): ShownChallenge;
}

/** Whether the text has the form of a `_guard` cookie (contract 2.1: a UUID). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Maximum number of ids in the cache. A cached id needs no hashing at its next request. */
const MAX_KNOWN = 50_000;

interface KnownId {
  readonly id: string;
  /**
   * The organisation for which the MAC is valid. Undefined when the MAC was not checked, for example because the
   * session is stored.
   */
  readonly organisation: string | undefined;
  readonly digest: string;
}

export function createSessionIds(sealer: Sealer): SessionIds {
  // The cache has `maxSize` and no `max`, because with `max` the library allocates all memory at once. This would take
  // 5 ms and 2 MB at each reload.
  const knownIds = new LRUCache<string, KnownId>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 });
  // The last id is cached, because each request asks about its id twice.
  let lastId: KnownId | undefined;
  const knownOf = (id: string): KnownId | undefined =>
    lastId?.id === id ? lastId : (lastId = knownIds.get(id));
  const keep = (id: string, organisation: string | undefined): KnownId => {
    lastId = { id: detachedCopy(id), organisation, digest: sessionDigest(id) };
    knownIds.set(lastId.id, lastId);
    return lastId;
  };
  const sealId = (organisation: string, root: string, group: string): string => {
    const signedPart = `${root}-${group}-`;
    return signedPart + sealer.seal([organisation, signedPart], MAC_BYTES).toString('hex');
  };
  return {
    mint(organisation, challengedAt) {
      // node:crypto makes UUIDs in batches. Random bytes for each id would take ten times as long.
      const uuid = randomUUID();
      const root = `${uuid.slice(0, 14)}8${uuid.slice(15, ROOT_LENGTH)}`;
      return sealId(organisation, root, firstGroup(challengeMark(challengedAt)));
    },
    renewed: (organisation, id, nowMs) =>
      sealId(organisation, sessionRoot(id), renewedGroup(id, nowMs)),
    isOurs(organisation, id) {
      if (knownOf(id)?.organisation === organisation) return true;
      if (!isUuid(id)) return false;
      const lower = id.toLowerCase();
      const mac = Buffer.from(lower.slice(MAC_FROM), 'hex');
      const ours = sealer.verify([organisation, lower.slice(0, MAC_FROM)], mac);
      if (ours) keep(id, organisation);
      return ours;
    },
    digestOf(id) {
      const knownId = knownOf(id);
      if (knownId !== undefined) return knownId.digest;
      return keep(id, undefined).digest;
    },
    shownChallenge: (id, nowMs) => shownChallenge(markOf(id), nowMs),
  };
}
