import type { Clock, MaybePromise, Session, SessionStore } from '@guard/config/contract/ports';
import { afterWith } from '../deadline.ts';
import type { SessionFact } from '../request/facts.ts';
import { isUuid, type SessionIds } from './session-id.ts';

const NONE: SessionFact = { state: 'none' };

interface Visitor {
  readonly organisation: string;
  readonly userAgentHash: string;
}

/**
 * What a presented `_guard` value stands for. A malformed or foreign one counts as none (spec 2.1);
 * so does a judged session that comes from another browser than the one that was judged.
 *
 * A store in memory is asked before the MAC: a hit, which is every request of a visitor who passed, costs
 * one look-up, and an id that is neither stored nor ours costs one MAC and leaves no trace. Where each
 * question is a round trip the MAC comes first, so that nobody buys one with an invented cookie.
 */
export function resolveSession(
  cookie: string,
  visitor: Visitor,
  store: SessionStore,
  ids: SessionIds,
  clock: Clock,
): MaybePromise<SessionFact> {
  if (cookie.length !== 36) return NONE;
  const id = cookie.toLowerCase();
  if (store.sessionOfStranger === undefined || ids.isOurs(visitor.organisation, id)) {
    return afterWith(store.session(id), { id, visitor, ids, clock }, standingOf);
  }
  // Not for nothing: an instance that has the next secret already may have made it, and judged it.
  return isUuid(id) ? afterWith(store.sessionOfStranger(id), { id, visitor }, judgementOf) : NONE;
}

interface Judged {
  readonly id: string;
  readonly visitor: Visitor;
}

interface Presented extends Judged {
  readonly ids: SessionIds;
  readonly clock: Clock;
}

function standingOf(session: Session | undefined, presented: Presented): SessionFact {
  if (session) return judgementOf(session, presented);
  const { id, visitor, ids, clock } = presented;
  if (!ids.isOurs(visitor.organisation, id)) return NONE;
  return { state: 'issued', id, uncleared: ids.isUncleared(id, clock()) };
}

/** What a stored session says of its visitor. */
function judgementOf(session: Session | undefined, { id, visitor }: Judged): SessionFact {
  return session && belongsTo(session, visitor) ? { state: session.state, id, session } : NONE;
}

function belongsTo(session: Session, { organisation, userAgentHash }: Visitor): boolean {
  return session.organisation === organisation && session.userAgentHash === userAgentHash;
}
