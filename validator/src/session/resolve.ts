import type { Clock, MaybePromise, Session, SessionStore } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import { networkOf } from '@guard/config/net/network-of';
import { afterWith } from './after-with.ts';
import { isSameClient } from '../request/client-class.ts';
import type { SessionFact } from '../request/facts.ts';
import { endShared, standingOfOther } from './renewal.ts';
import { isUuid, type SessionIds } from './session-id.ts';

const NO_SESSION: SessionFact = { state: 'none' };

interface Visitor {
  readonly organisation: string;
  readonly userAgentHash: string;
  /** The visitor's address, spelled as `parseIp` returns it. */
  readonly ip: string;
  /** The client class (request/client-class.ts). Empty when classes must not be compared. */
  readonly client: string;
}

/** The context of a look-up. */
interface Lookup {
  readonly visitor: Visitor;
  readonly store: SessionStore;
  readonly ids: SessionIds;
  readonly clock: Clock;
}

/**
 * Finds the session of a request among its `_guard` values (presentedSessions). A verified session has priority. Of
 * several verified sessions, the session that was judged in the visitor's network is found. Next is the first issued
 * session, and then a rejected session. So a value that a stranger put into the browser does not replace the visitor's
 * own session.
 */
export function resolveSession(
  cookies: readonly string[],
  visitor: Visitor,
  store: SessionStore,
  ids: SessionIds,
  clock: Clock,
): MaybePromise<SessionFact> {
  const [first] = cookies;
  if (first === undefined) return NO_SESSION;
  const lookup = { visitor, store, ids, clock };
  if (cookies.length === 1) return afterWith(resolveOne(first, lookup), lookup, endIfShared);
  // All values are looked up at the same time, so a remote store needs only the time of one question.
  const facts = cookies.map((cookie) => resolveOne(cookie, lookup));
  const knownFacts = facts.filter(isKnown);
  const knownBest = strongest(knownFacts, visitor);
  if (knownFacts.length === facts.length) return endIfShared(knownBest, lookup);
  if (isOwn(knownBest, visitor)) return { ...knownBest, contested: true };
  return Promise.all(facts.map((fact) => Promise.resolve(fact))).then(
    (allFacts) => endIfShared(strongest(allFacts, visitor), lookup),
    (error: unknown) => {
      if (knownBest.state === 'verified') return knownBest;
      throw error;
    },
  );
}

/**
 * Ends the session that was found, if two clients share it. When the request also has a valid session, the look-up
 * found the valid session, so nothing ends.
 */
function endIfShared(fact: SessionFact, { store, clock }: Lookup): SessionFact {
  if (fact.state === 'issued' && fact.shared !== undefined) {
    endShared({ value: fact.id, session: fact.shared, nowMs: clock() }, store);
  }
  return fact;
}

function isKnown(fact: MaybePromise<SessionFact>): fact is SessionFact {
  return !(fact instanceof Promise);
}

type Verified = Extract<SessionFact, { state: 'verified' | 'rejected' }> & { state: 'verified' };

function isVerified(fact: SessionFact): fact is Verified {
  return fact.state === 'verified';
}

/**
 * Whether the session was judged in the visitor's network. The session of a stranger was usually judged in another
 * network.
 */
function isOwn(fact: SessionFact, { ip }: Visitor): fact is Verified {
  return isVerified(fact) && fact.session.network === networkOf(ip);
}

function strongest(facts: readonly SessionFact[], visitor: Visitor): SessionFact {
  const verifiedFacts = facts.filter(isVerified);
  const [first] = verifiedFacts;
  if (first !== undefined) {
    const best = verifiedFacts.find((fact) => isOwn(fact, visitor)) ?? first;
    const root = sessionRoot(best.id);
    const isOnly = verifiedFacts.every(({ id }) => sessionRoot(id) === root);
    return isOnly ? best : { ...best, contested: true };
  }
  const issued = facts.find(({ state }) => state === 'issued');
  if (issued?.state === 'issued') return { ...issued, contested: true };
  return facts.find(({ state }) => state === 'rejected') ?? NO_SESSION;
}

/**
 * Finds the session of one value. There is no session for a malformed or foreign value (contract 2.1), for a judged
 * session in another browser, and for a rejected session in another network.
 *
 * With a store in memory, the look-up comes before the check of the MAC, so that a visitor who passed needs only the
 * look-up. With a remote store, the MAC is checked first, so that an invented cookie causes no round trip.
 */
function resolveOne(cookie: string, lookup: Lookup): MaybePromise<SessionFact> {
  const { visitor, store, ids } = lookup;
  if (cookie.length !== 36) return NO_SESSION;
  const id = cookie.toLowerCase();
  if (store.sessionOfStranger === undefined || ids.isOurs(visitor.organisation, id)) {
    return afterWith(store.session(id), { id, lookup }, standingOf);
  }
  // Another instance that already has the next secret can have made and judged this id.
  return isUuid(id)
    ? afterWith(store.sessionOfStranger(id), { id, lookup }, judgementOf)
    : NO_SESSION;
}

interface PresentedId {
  readonly id: string;
  readonly lookup: Lookup;
}

function standingOf(session: Session | undefined, presentedId: PresentedId): SessionFact {
  if (session) return judgementOf(session, presentedId);
  const { id, lookup } = presentedId;
  const { visitor, ids, clock } = lookup;
  if (!ids.isOurs(visitor.organisation, id)) return NO_SESSION;
  return { state: 'issued', id, challenge: ids.shownChallenge(id, clock()) };
}

function judgementOf(session: Session | undefined, presentedId: PresentedId): SessionFact {
  const { id, lookup } = presentedId;
  const { visitor } = lookup;
  if (!session || !appliesTo(session, visitor)) return NO_SESSION;
  const { state } = session;
  if (state === 'verified' && !isSameClient(session.client, visitor.client)) {
    // Another client passed with this session. This client is not blocked: it has its free pages, and can pass itself.
    return { state: 'issued', id, challenge: 'none', lost: 'session_of_another' };
  }
  if (state === 'verified' && id !== session.newest) return otherValue(session, presentedId);
  return { state, id, session };
}

function otherValue(session: Session, { id, lookup }: PresentedId): SessionFact {
  const { ids, store, clock } = lookup;
  const presentedValue = { value: id, session, nowMs: clock() };
  switch (standingOfOther(presentedValue, ids, store)) {
    case 'counts':
      return { state: 'verified', id, session };
    case 'foreign':
      return NO_SESSION;
    case 'shared':
      return {
        state: 'issued',
        id,
        challenge: 'none',
        lost: 'session_shared',
        contested: true,
        shared: session,
      };
  }
}

/**
 * Whether a stored session applies to this visitor. A rejected session does not apply in another network, because
 * another site could set the cookie of a rejected session in a visitor's browser.
 */
function appliesTo(session: Session, { organisation, userAgentHash, ip }: Visitor): boolean {
  const isSameBrowser =
    session.organisation === organisation && session.userAgentHash === userAgentHash;
  return isSameBrowser && (session.state === 'verified' || session.network === networkOf(ip));
}
