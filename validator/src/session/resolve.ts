import type { Clock, MaybePromise, Session, SessionStore } from '@guard/config/contract/ports';
import { afterWith } from '../deadline.ts';
import type { SessionFact } from '../request/facts.ts';
import type { SessionIds } from './session-id.ts';

const NONE: SessionFact = { state: 'none' };

interface Visitor {
  readonly organisation: string;
  readonly userAgent: string;
}

/**
 * What a presented `_guard` value stands for. A malformed or foreign one counts as none (spec 2.1);
 * so does a judged session that comes from another browser than the one that was judged.
 *
 * The store is asked before the MAC: a hit, which is every request of a visitor who passed, costs
 * one look-up, and an id that is neither stored nor ours costs one MAC and leaves no trace.
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
  return afterWith(store.session(id), { id, visitor, ids, clock }, standingOf);
}

interface Presented {
  readonly id: string;
  readonly visitor: Visitor;
  readonly ids: SessionIds;
  readonly clock: Clock;
}

function standingOf(
  session: Session | undefined,
  { id, visitor, ids, clock }: Presented,
): SessionFact {
  if (session) return belongsTo(session, visitor) ? { state: session.state, id, session } : NONE;
  if (!ids.isOurs(visitor.organisation, id)) return NONE;
  return { state: 'issued', id, uncleared: ids.isUncleared(id, clock()) };
}

function belongsTo(session: Session, { organisation, userAgent }: Visitor): boolean {
  return session.organisation === organisation && session.userAgent === userAgent;
}
