import type { Clock, MaybePromise, Session, SessionStore } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import { networkOf } from '@guard/config/net/network-of';
import { afterWith } from './after-with.ts';
import { isSameClient } from '../request/client-class.ts';
import type { SessionFact } from '../request/facts.ts';
import { endShared, standingOfOther } from './renewal.ts';
import { isUuid, type SessionIds } from './session-id.ts';

const NONE: SessionFact = { state: 'none' };

interface Visitor {
  readonly organisation: string;
  readonly userAgentHash: string;
  /** As `parseIp` spells it. */
  readonly ip: string;
  /** request/client-class.ts; a caller that does not compare gives an empty one. */
  readonly client: string;
}

/** Who asks, and what knows of sessions. */
interface Source {
  readonly visitor: Visitor;
  readonly store: SessionStore;
  readonly ids: SessionIds;
  readonly clock: Clock;
}

/**
 * What the presented `_guard` values stand for (presentedSessions): a verified session, before all the one that was
 * judged in the visitor's own network; else the first that was issued, else a rejected one. A value that a stranger put
 * into the browser takes nothing from the visitor's own, and to leave a value out gains nothing over a browser without
 * cookies.
 */
export function resolveSession(
  cookies: readonly string[],
  visitor: Visitor,
  store: SessionStore,
  ids: SessionIds,
  clock: Clock,
): MaybePromise<SessionFact> {
  const [first] = cookies;
  if (first === undefined) return NONE;
  const source = { visitor, store, ids, clock };
  if (cookies.length === 1) return afterWith(resolveOne(first, source), source, chosen);
  // All are asked for in one turn, so that a store far away takes the time of one question.
  const facts = cookies.map((cookie) => resolveOne(cookie, source));
  const known = facts.filter(isKnown);
  const sure = strongest(known, visitor);
  if (known.length === facts.length) return chosen(sure, source);
  if (isOwn(sure, visitor)) return { ...sure, contested: true };
  return later(facts, visitor).then(
    (fact) => chosen(fact, source),
    (error: unknown) => {
      if (sure.state === 'verified') return sure;
      throw error;
    },
  );
}

async function later(
  facts: readonly MaybePromise<SessionFact>[],
  visitor: Visitor,
): Promise<SessionFact> {
  return strongest(await Promise.all(facts.map(async (fact) => await fact)), visitor);
}

/** Ends a session that two clients have. Not for an old value that came together with one that counts. */
function chosen(fact: SessionFact, { store, clock }: Source): SessionFact {
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

/** A session that a stranger put into the browser was judged where the stranger is. */
function isOwn(fact: SessionFact, { ip }: Visitor): fact is Verified {
  return isVerified(fact) && fact.session.network === networkOf(ip);
}

function strongest(facts: readonly SessionFact[], visitor: Visitor): SessionFact {
  const verified = facts.filter(isVerified);
  const [first] = verified;
  if (first !== undefined) {
    const best = verified.find((fact) => isOwn(fact, visitor)) ?? first;
    const root = sessionRoot(best.id);
    const isOnly = verified.every(({ id }) => sessionRoot(id) === root);
    return isOnly ? best : { ...best, contested: true };
  }
  const issued = facts.find(({ state }) => state === 'issued');
  if (issued?.state === 'issued') return { ...issued, contested: true };
  return facts.find(({ state }) => state === 'rejected') ?? NONE;
}

/**
 * What one value stands for. A malformed or foreign one counts as none (contract 2.1); so does a judged session
 * that comes from another browser than the one that was judged, and a rejected one from another network.
 *
 * A store in memory is asked before the MAC: a hit, which is every request of a visitor who passed, costs
 * one look-up, and an id that is neither stored nor ours costs one MAC and leaves no trace. Where each
 * question is a round trip the MAC comes first, so that an invented cookie buys none.
 */
function resolveOne(cookie: string, source: Source): MaybePromise<SessionFact> {
  const { visitor, store, ids } = source;
  if (cookie.length !== 36) return NONE;
  const id = cookie.toLowerCase();
  if (store.sessionOfStranger === undefined || ids.isOurs(visitor.organisation, id)) {
    return afterWith(store.session(id), { id, source }, standingOf);
  }
  // Not for nothing: an instance that has the next secret already may have made it, and judged it.
  return isUuid(id) ? afterWith(store.sessionOfStranger(id), { id, source }, judgementOf) : NONE;
}

interface Presented {
  readonly id: string;
  readonly source: Source;
}

function standingOf(session: Session | undefined, presented: Presented): SessionFact {
  if (session) return judgementOf(session, presented);
  const { id, source } = presented;
  const { visitor, ids, clock } = source;
  if (!ids.isOurs(visitor.organisation, id)) return NONE;
  return { state: 'issued', id, challenge: ids.shownChallenge(id, clock()) };
}

/** What a stored session says of its visitor. */
function judgementOf(session: Session | undefined, presented: Presented): SessionFact {
  const { id, source } = presented;
  const { visitor } = source;
  if (!session || !counts(session, visitor)) return NONE;
  const { state } = session;
  if (state === 'verified' && !isSameClient(session.client, visitor.client)) {
    // It passed for another client. This one is not blocked: it has its free pages, and then passes itself.
    return { state: 'issued', id, challenge: 'none', lost: 'session_of_another' };
  }
  if (state === 'verified' && id !== session.newest) return otherValue(session, presented);
  return { state, id, session };
}

function otherValue(session: Session, { id, source }: Presented): SessionFact {
  const { ids, store, clock } = source;
  const presented = { value: id, session, nowMs: clock() };
  switch (standingOfOther(presented, ids, store)) {
    case 'counts':
      return { state: 'verified', id, session };
    case 'foreign':
      return NONE;
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

/** A rejection does not count in another network: another site can set the cookie in a visitor's browser. */
function counts(session: Session, visitor: Visitor): boolean {
  if (!belongsTo(session, visitor)) return false;
  return session.state === 'verified' || session.network === networkOf(visitor.ip);
}

function belongsTo(session: Session, { organisation, userAgentHash }: Visitor): boolean {
  return session.organisation === organisation && session.userAgentHash === userAgentHash;
}
