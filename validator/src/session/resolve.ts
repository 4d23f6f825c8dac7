import type { Clock, MaybePromise, Session, SessionStore } from '@guard/config/contract/ports';
import { after } from '../deadline.ts';
import type { SessionFact } from '../request/facts.ts';
import type { SessionIds } from './session-id.ts';

const NONE: SessionFact = { state: 'none' };

/**
 * What a presented `_guard` value stands for. A malformed or foreign one counts as none (spec 2.1);
 * so does a judged session that comes from another browser than the one that was judged.
 *
 * The store is asked before the MAC: a hit, which is every request of a visitor who passed, costs
 * one look-up, and an id that is neither stored nor ours costs one MAC and leaves no trace.
 */
export function resolveSession(
  cookie: string,
  visitor: { readonly organisation: string; readonly userAgent: string },
  store: SessionStore,
  ids: SessionIds,
  clock: Clock,
): MaybePromise<SessionFact> {
  if (cookie.length !== 36) return NONE;
  const id = cookie.toLowerCase();
  return after(store.session(id), (session) => {
    if (session) return belongsTo(session, visitor) ? { state: session.state, id, session } : NONE;
    if (!ids.isOurs(visitor.organisation, id)) return NONE;
    return { state: 'issued', id, uncleared: ids.isUncleared(id, clock()) };
  });
}

function belongsTo(
  session: Session,
  visitor: { readonly organisation: string; readonly userAgent: string },
): boolean {
  return session.organisation === visitor.organisation && session.userAgent === visitor.userAgent;
}
