import type { Session, SessionStore } from '@guard/config/contract/ports';

/** A negative time to live ends the session at once. */
const ENDED_TTL_MS = -1;

/** Ends a judged session at every instance, so that its visitor has to pass the challenge again. Never rejects. */
export function endSession(id: string, session: Session, store: SessionStore): void {
  // Only a shared store that is away rejects. Then the session stays valid.
  void Promise.resolve(store.keepSession(id, session, ENDED_TTL_MS)).catch(() => undefined);
}
