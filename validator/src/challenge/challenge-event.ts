import { sessionDigest } from '@guard/config/contract/session-digest';
import type { DecisionEvent } from '@guard/config/contract/event';
import { categoriesOf } from '@guard/config/contract/reasons';
import { mintRequestId } from '@guard/config/contract/request-id';
import type { CollectOutcome } from './collect-outcome.ts';
import type { Strengths } from '../verdict/strengths.ts';
import { TRAP_PATH, type TrapHit } from './trap-link.ts';

/**
 * The event of an upload that came to nothing, so that the reference code on a visitor's failure
 * screen is found again by SQL; of a page that was left before it had an answer; and of a visitor who was doubted, or passed with
 * findings that came to nothing, with the reasons. Other judgements need none: the visitor's next decision says them.
 * Undefined when there is nothing to say, or no authentic ticket names the organisation: an event
 * for everything that is posted here would let any client fill the table.
 */
export function describeUpload(
  outcome: CollectOutcome,
  nowMs: number,
  strengthsOf: (organisation: string) => Strengths,
): DecisionEvent | undefined {
  switch (outcome.kind) {
    case 'rejected':
    case 'limited':
      return undefined;
    case 'verified': {
      const found = [...outcome.reasons, ...outcome.noted];
      if (found.length === 0) return undefined;
      const event = eventOf(outcome, nowMs, PASSED);
      const findingPoints = strengthsOf(outcome.organisation).pointsOf(found);
      return event && { ...event, findings: found, findingPoints };
    }
    case 'work':
      return outcome.reasons.length === 0 ? undefined : eventOf(outcome, nowMs, ASKED_FOR_WORK);
    case 'failed':
      return eventOf(outcome, nowMs, {
        challenge: 'failed',
        action: 'block',
        decision: 'block',
        response: 'block',
        statusCode: 200,
      });
    case 'left':
      return eventOf(outcome, nowMs, LEFT);
    // There is no judgement, so the visitor still has to pass the challenge.
    case 'unavailable':
      return eventOf(outcome, nowMs, {
        challenge: 'failed',
        action: 'challenge',
        decision: 'none',
        response: 'redirect',
        statusCode: 503,
      });
  }
}

const PASSED = {
  challenge: 'verified',
  action: 'allow',
  decision: 'allow',
  response: 'allow',
  statusCode: 200,
} as const;

const ASKED_FOR_WORK = {
  challenge: 'issued',
  action: 'challenge',
  decision: 'challenge',
  response: 'redirect',
  statusCode: 200,
} as const;

/** Not `issued`: that would be one more challenge, perhaps after another tab of the visitor has passed. */
const LEFT = {
  challenge: 'failed',
  action: 'challenge',
  decision: 'challenge',
  response: 'redirect',
  statusCode: 200,
} as const;

/** Endings that an event may tell of. */
type Told = Exclude<CollectOutcome, { kind: 'limited' }>;

function eventOf(
  outcome: Told,
  nowMs: number,
  ending: Pick<DecisionEvent, 'challenge' | 'action' | 'decision' | 'response' | 'statusCode'>,
): DecisionEvent | undefined {
  if (outcome.organisation === undefined) return undefined;
  return {
    ...NOT_SAID,
    ...ending,
    createdAt: nowMs,
    requestId: mintRequestId(nowMs),
    organisation: outcome.organisation,
    blockReasons: outcome.reasons,
    blockReasonCategories: categoriesOf(outcome.reasons),
    method: 'POST',
    path: '/.guard/verify',
    ip: outcome.ip,
    userAgent: outcome.userAgent,
    session: sessionDigest(outcome.session ?? ''),
    reference: outcome.reference ?? '',
  };
}

/** The event of the link on Guard's own pages, followed by the visitor to whom it was shown. */
export function describeTrapHit(
  { organisation, session, ip, userAgent }: TrapHit,
  nowMs: number,
): DecisionEvent {
  return {
    ...NOT_SAID,
    challenge: 'none',
    action: 'block',
    decision: 'block',
    response: 'block',
    statusCode: 404,
    createdAt: nowMs,
    requestId: mintRequestId(nowMs),
    organisation,
    blockReasons: ['trap_hit'],
    blockReasonCategories: categoriesOf(['trap_hit']),
    method: 'GET',
    path: `/.guard${TRAP_PATH}`,
    ip,
    userAgent,
    session,
    reference: '',
  };
}

/** The fields that have no value in an event of the collector. */
const NOT_SAID = {
  site: '',
  rule: '',
  monitor: false,
  observe: false,
  rateLimited: false,
  crawler: undefined,
  scheme: '',
  host: '',
  query: '',
  referrerOrigin: '',
  country: '',
  validator: 'in-process',
  durationUs: 0,
  headers: {},
} as const;
