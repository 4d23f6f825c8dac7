import { randomUUID } from 'node:crypto';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { sessionRoot } from '@guard/config/contract/session-root';
import { UUID } from '@guard/config/contract/uuid';
import { LRUCache } from 'lru-cache';
import type { ShownChallenge } from '../request/facts.ts';
import { ownText } from '../request/own-text.ts';
import type { Sealer } from './sealer.ts';
import { firstGroup, markOf, renewedGroup } from './session-value.ts';

/** The first 18 characters are the root of the session (60 random bits), then come 13 bits of session-value.ts and the MAC. */
const ROOT_LENGTH = 18;
const MAC_FROM = 24;
const MAC_BYTES = 6;

/**
 * The value of `_guard`: a UUID (version 8, RFC 9562) whose last group is a MAC over the rest and the
 * organisation. A forged one is told apart without a store, and nothing is stored for a visitor
 * before a pass. A verified session gets another value every 15 minutes (renewal.ts).
 */
export interface SessionIds {
  /** `challengedAt` is the time of the challenge that goes out with it, if one does. */
  mint(organisation: string, challengedAt?: number): string;
  /** True for a UUID this installation made for this organisation. */
  isOurs(organisation: string, id: string): boolean;
  /**
   * The value that a session has at this time: the same at each instance with the same secret, whatever it was asked
   * with. So the tabs of one browser are given the same one.
   */
  renewed(organisation: string, id: string, nowMs: number): string;
  /** How the session of a visitor who came back is named in events and to the origin (sessionDigest). Kept. */
  digestOf(id: string): string;
  /** The challenge that an id of ours, not judged, was shown lately. */
  shownChallenge(id: string, nowMs: number): ShownChallenge;
}

/** Whether it could be the value of a `_guard` cookie at all (contract 2.1: a bare UUID). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Ids of visitors who came back, kept so that their next requests cost a look-up and no hashing. */
const MAX_KNOWN = 50_000;

interface Known {
  readonly id: string;
  /** For whom the MAC was found right; undefined where it was not looked at, as of a stored session. */
  readonly organisation: string | undefined;
  readonly digest: string;
}

export function createSessionIds(sealer: Sealer): SessionIds {
  // By size: for `max` the library takes all its room at once, which is 5 ms and 2 MB each time settings are read.
  const known = new LRUCache<string, Known>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 });
  // A request asks twice about its id: whether it is ours, and for its digest.
  let last: Known | undefined;
  const knownOf = (id: string): Known | undefined =>
    last?.id === id ? last : (last = known.get(id));
  const keep = (id: string, organisation: string | undefined): Known => {
    last = { id: ownText(id), organisation, digest: sessionDigest(id) };
    known.set(last.id, last);
    return last;
  };
  const sealed = (organisation: string, root: string, group: string): string => {
    const open = `${root}-${group}-`;
    return open + sealer.seal([organisation, open], MAC_BYTES).toString('hex');
  };
  return {
    mint(organisation, challengedAt) {
      // node:crypto draws UUIDs in batches, which costs a tenth of drawing bytes one id at a time.
      const uuid = randomUUID();
      const root = `${uuid.slice(0, 14)}8${uuid.slice(15, ROOT_LENGTH)}`;
      return sealed(organisation, root, firstGroup(challengeMark(challengedAt)));
    },
    renewed: (organisation, id, nowMs) =>
      sealed(organisation, sessionRoot(id), renewedGroup(id, nowMs)),
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
      const held = knownOf(id);
      if (held !== undefined) return held.digest;
      return keep(id, undefined).digest;
    },
    shownChallenge: (id, nowMs) => shownChallenge(markOf(id), nowMs),
  };
}

/**
 * What a session id says of the challenge it was minted with: 13 bits, 0 for none, else the time in steps of ten
 * minutes. So it is known without a store that a session was shown a
 * challenge and has not answered it (contract 2.2, challenge_failure: "interstitial never cleared").
 */

const STEP_MS = 10 * 60_000;
/** Steps before the numbers begin again: 56 days, and the cookie lives 30. */
const STEPS = 0x1fff;

/**
 * Over this many steps an unjudged session tells something. Two steps are more than ten minutes: its
 * ticket has run out. Five are less than an hour: had it been judged, the store would still know.
 */
const UNCLEARED = { from: 2, to: 5 };

/** `challengedAt` in milliseconds since the epoch, undefined for no challenge. */
function challengeMark(challengedAt: number | undefined): number {
  return challengedAt === undefined ? 0 : stepOf(challengedAt) + 1;
}

/** For a session that was not judged. `none` also where a judgement may have been forgotten. */
function shownChallenge(mark: number, nowMs: number): ShownChallenge {
  if (mark === 0) return 'none';
  const age = (stepOf(nowMs) - (mark - 1) + STEPS) % STEPS;
  if (age > UNCLEARED.to) return 'none';
  return age < UNCLEARED.from ? 'open' : 'uncleared';
}

function stepOf(timeMs: number): number {
  return Math.floor(timeMs / STEP_MS) % STEPS;
}
