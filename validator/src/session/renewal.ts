import type { Session, SessionStore } from '@guard/config/contract/ports';
import { VERIFIED_TTL_MS } from './cookie.ts';
import type { SessionIds } from './session-id.ts';
import { isFirst, isLater, isSamePeriod } from './session-value.ts';
import { isShortPass, SHORT_PASS_MS } from './short-pass.ts';

/**
 * A verified session gets another value of `_guard` every 15 minutes: with the answer to a page, and derived from the
 * session and the time, so that a caller that does not set it, a lost answer or a second tab changes nothing. The
 * store knows one thing more of a session, the newest value that came with a request: written once for each value,
 * and the value before it counts for a minute from then on. Later it shows that two clients have the session.
 */
const GRACE_MS = 60_000;

/** What a value of a verified session, which is not the newest, stands for. */
export type Standing = 'counts' | 'foreign' | 'shared';

export interface PresentedValue {
  readonly value: string;
  readonly session: Session;
  readonly nowMs: number;
}

/** Keeps a value that is later than the newest one as the newest. */
export function standingOfOther(
  presented: PresentedValue,
  ids: SessionIds,
  store: SessionStore,
): Standing {
  const { value, session, nowMs } = presented;
  const { organisation, newest, newestAt = 0 } = session;
  if (newest === '') return 'shared';
  if (newest === undefined && isFirst(value)) return 'counts';
  // Who has an old value can write a later period into it, and no MAC for that.
  if (!ids.isOurs(organisation, value)) return newest === undefined ? 'counts' : 'foreign';
  if (newest === undefined || isLater(value, newest)) {
    rewrite(presented, { newest: value, newestAt: nowMs }, store);
    return 'counts';
  }
  if (isSamePeriod(value, newest)) return 'counts';
  return nowMs - newestAt <= GRACE_MS ? 'counts' : 'shared';
}

/** No value of this session counts any more: either client has to pass again, with a session of its own. */
export function endShared(presented: PresentedValue, store: SessionStore): void {
  if (presented.session.newest !== '') rewrite(presented, { newest: '' }, store);
}

function rewrite(
  { value, session, nowMs }: PresentedValue,
  change: Partial<Pick<Session, 'newest' | 'newestAt'>>,
  store: SessionStore,
): void {
  const { organisation, state, reasons, userAgentHash, network, client, judgedAt } = session;
  const { newest, newestAt } = session;
  const rest = { organisation, state, reasons, userAgentHash, network, client, judgedAt };
  const ttlMs = isShortPass(session) ? SHORT_PASS_MS : VERIFIED_TTL_MS;
  const kept = store.keepSession(
    value,
    { ...rest, newest, newestAt, ...change },
    Math.max(1, session.judgedAt + ttlMs - nowMs),
  );
  // A shared store that is away: the next request tries again.
  if (kept instanceof Promise) kept.catch(() => undefined);
}
