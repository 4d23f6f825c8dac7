import type { Session, SessionStore } from '@guard/config/contract/ports';

/** A time in the past: a session that is kept until then is not found again. */
const OVER_MS = -1;

/** Ends a judged session at every instance: its visitor has to pass again. Never rejects. */
export function endSession(id: string, session: Session, store: SessionStore): void {
  // Only a shared store rejects, which is away. Then the session goes on.
  void Promise.resolve(store.keepSession(id, session, OVER_MS)).catch(() => undefined);
}
