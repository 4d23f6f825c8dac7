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
  /** Spelled as `parseIp` returns it. */
  readonly ip: string;
  /** The client class (request/client-class.ts). Empty when it must not be compared. */
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
 * Finds the session of a request among its `_guard` values (presentedSessions). A verified session comes first; among
 * several, the one that was judged in the visitor's network. Then comes the first issued session, then a rejected one.
 * So a value that a stranger put into the browser does not replace the visitor's own.
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
  // All values are looked up at the same time, so a remote store takes only the time of one question.
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

/** Ends a session that two clients have, but not when the request also has a value that counts. */
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

/** Whether the session was judged in the visitor's network. A stranger's session was judged elsewhere. */
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
 * Finds the session of one value. A malformed or foreign value counts as none (contract 2.1). So does a judged session
 * in another browser, and a rejected session in another network.
 *
 * A store in memory is asked before the MAC is checked, so that a visitor who passed needs only one look-up. A remote
 * store is asked after the MAC, so that an invented cookie causes no round trip.
 */
function resolveOne(cookie: string, lookup: Lookup): MaybePromise<SessionFact> {
  const { visitor, store, ids } = lookup;
  if (cookie.length !== 36) return NO_SESSION;
  const id = cookie.toLowerCase();
  if (store.sessionOfStranger === undefined || ids.isOurs(visitor.organisation, id)) {
    return afterWith(store.session(id), { id, lookup }, standingOf);
  }
  // An instance that already has the next secret may have made and judged this id.
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
  if (!session || !counts(session, visitor)) return NO_SESSION;
  const { state } = session;
  if (state === 'verified' && !isSameClient(session.client, visitor.client)) {
    // The session passed for another client. This client is not blocked: it has its free pages, and can pass itself.
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
 * Whether a stored session counts for this visitor. A rejected session does not count in another network, because
 * another site could set its cookie in a visitor's browser.
 */
function counts(session: Session, { organisation, userAgentHash, ip }: Visitor): boolean {
  const isSameBrowser =
    session.organisation === organisation && session.userAgentHash === userAgentHash;
  return isSameBrowser && (session.state === 'verified' || session.network === networkOf(ip));
}
