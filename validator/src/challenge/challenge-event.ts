import { sessionDigest } from '@guard/config/contract/session-digest';
import type { DecisionEvent } from '@guard/config/contract/event';
import { categoriesOf } from '@guard/config/contract/reasons';
import { mintRequestId } from '@guard/config/contract/request-id';
import type { CollectOutcome } from './collect-outcome.ts';
import type { Strengths } from '../verdict/strengths.ts';
import { TRAP_PATH, type TrapHit } from './trap-link.ts';

/**
 * Returns the event of an upload, if it needs one. A failed upload needs one, so that SQL finds the reference code of
 * the visitor's failure screen. A page that was left without an answer needs one. So does a visitor with doubts, or
 * with findings that changed nothing. Other judgements need no event, because the visitor's next decision has one.
 *
 * Undefined when there is nothing to report, or when no authentic ticket names the organisation. Otherwise any client
 * could fill the table.
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
      const findings = [...outcome.reasons, ...outcome.noted];
      if (findings.length === 0) return undefined;
      const event = eventOf(outcome, nowMs, PASSED_FIELDS);
      const findingPoints = strengthsOf(outcome.organisation).pointsOf(findings);
      return event && { ...event, findings: findings, findingPoints };
    }
    case 'work':
      return outcome.reasons.length === 0 ? undefined : eventOf(outcome, nowMs, WORK_FIELDS);
    case 'failed':
      return eventOf(outcome, nowMs, {
        challenge: 'failed',
        action: 'block',
        decision: 'block',
        response: 'block',
        statusCode: 200,
      });
    case 'left':
      return eventOf(outcome, nowMs, LEFT_FIELDS);
    // The upload was not judged, so the visitor still has to pass the challenge.
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

const PASSED_FIELDS = {
  challenge: 'verified',
  action: 'allow',
  decision: 'allow',
  response: 'allow',
  statusCode: 200,
} as const;

const WORK_FIELDS = {
  challenge: 'issued',
  action: 'challenge',
  decision: 'challenge',
  response: 'redirect',
  statusCode: 200,
} as const;

/** Not `issued`, which would count one more challenge, although the visitor may have passed in another tab. */
const LEFT_FIELDS = {
  challenge: 'failed',
  action: 'challenge',
  decision: 'challenge',
  response: 'redirect',
  statusCode: 200,
} as const;

/** Outcomes that can make an event. */
type Reported = Exclude<CollectOutcome, { kind: 'limited' }>;

function eventOf(
  outcome: Reported,
  nowMs: number,
  ending: Pick<DecisionEvent, 'challenge' | 'action' | 'decision' | 'response' | 'statusCode'>,
): DecisionEvent | undefined {
  if (outcome.organisation === undefined) return undefined;
  return {
    ...NO_VALUES,
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

/** The event of a visitor who followed the trap link that was made for this visitor. */
export function describeTrapHit(
  { organisation, session, ip, userAgent }: TrapHit,
  nowMs: number,
): DecisionEvent {
  return {
    ...NO_VALUES,
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

/** The fields without a value in events of the collector. */
const NO_VALUES = {
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
