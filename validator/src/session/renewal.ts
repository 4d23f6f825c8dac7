import type { Session, SessionStore } from '@guard/config/contract/ports';
import { VERIFIED_TTL_MS } from './cookie.ts';
import type { SessionIds } from './session-id.ts';
import { isFirst, isLater, isSamePeriod } from './session-value.ts';
import { isShortPass, SHORT_PASS_MS } from './short-pass.ts';

/**
 * A verified session gets a new value of `_guard` every 15 minutes, with the answer to a page. The value is derived
 * from the session and the time, so a lost answer, a second tab, or a caller that does not set the cookie does no harm.
 * The store keeps the newest value that came with a request. After a newer value has come, an older value is valid for
 * only one more minute. When it comes later, two clients share the session.
 */
const GRACE_MS = 60_000;

/**
 * The result for a value of a verified session that is not the newest value. `counts`: it is valid. `foreign`: Guard
 * did not make it. `shared`: two clients share the session.
 */
type Standing = 'counts' | 'foreign' | 'shared';

interface PresentedValue {
  readonly value: string;
  readonly session: Session;
  readonly nowMs: number;
}

/** Judges a value that is not the newest known value. A later value becomes the newest. */
export function standingOfOther(
  presentedValue: PresentedValue,
  ids: SessionIds,
  store: SessionStore,
): Standing {
  const { value, session, nowMs } = presentedValue;
  const { organisation, newest, newestAt = 0 } = session;
  if (newest === '') return 'shared';
  if (newest === undefined && isFirst(value)) return 'counts';
  // A client could write a later period into an old value, but then its MAC would be wrong.
  if (!ids.isOurs(organisation, value)) return newest === undefined ? 'counts' : 'foreign';
  if (newest === undefined || isLater(value, newest)) {
    rewrite(presentedValue, { newest: value, newestAt: nowMs }, store);
    return 'counts';
  }
  if (isSamePeriod(value, newest)) return 'counts';
  return nowMs - newestAt <= GRACE_MS ? 'counts' : 'shared';
}

/** Ends a session that two clients share. None of its values is valid any more, and each client has to pass again. */
export function endShared(presentedValue: PresentedValue, store: SessionStore): void {
  if (presentedValue.session.newest !== '') rewrite(presentedValue, { newest: '' }, store);
}

function rewrite(
  { value, session, nowMs }: PresentedValue,
  change: Partial<Pick<Session, 'newest' | 'newestAt'>>,
  store: SessionStore,
): void {
  const ttlMs = isShortPass(session) ? SHORT_PASS_MS : VERIFIED_TTL_MS;
  const result = store.keepSession(
    value,
    { ...session, ...change },
    Math.max(1, session.judgedAt + ttlMs - nowMs),
  );
  // The call fails while the shared store is away. Then the next request tries again.
  if (result instanceof Promise) result.catch(() => undefined);
}
