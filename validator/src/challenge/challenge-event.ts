import { sessionDigest } from '@guard/config/contract/session-digest';
import type { DecisionEvent } from '@guard/config/contract/event';
import { categoriesOf, type Reason } from '@guard/config/contract/reasons';
import { mintRequestId } from '@guard/config/contract/request-id';
import type { CollectOutcome } from './collect-outcome.ts';
import type { Strengths } from '../verdict/strengths.ts';
import { TRAP_PATH, type TrapHit } from './trap-link.ts';

/**
 * The event of an upload. A failed upload has an event, so that a query finds the reference code that the visitor sees.
 * A left page, a doubtful upload, and an upload with findings that did not change the judgement have an event too.
 *
 * Undefined for all other uploads, and when no authentic ticket names the organisation. Otherwise any client could fill
 * the table.
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
      const event = eventOf(outcome, nowMs, VERIFIED);
      const findingPoints = strengthsOf(outcome.organisation).pointsOf(findings);
      return event && { ...event, findings, findingPoints };
    }
    case 'work':
      return outcome.reasons.length === 0 ? undefined : eventOf(outcome, nowMs, WORK);
    case 'failed':
      return eventOf(outcome, nowMs, FAILED);
    case 'left':
      return eventOf(outcome, nowMs, LEFT);
    case 'unavailable':
      return eventOf(outcome, nowMs, UNAVAILABLE);
  }
}

/** The columns of an event that show the result for the visitor. */
type Ending = Pick<DecisionEvent, 'challenge' | 'action' | 'decision' | 'statusCode'>;

const VERIFIED: Ending = {
  challenge: 'verified',
  action: 'allow',
  decision: 'allow',
  statusCode: 200,
};
const WORK: Ending = {
  challenge: 'issued',
  action: 'challenge',
  decision: 'challenge',
  statusCode: 200,
};
/** `challenge` is not `issued`, because `issued` would count one more challenge. */
const LEFT: Ending = { ...WORK, challenge: 'failed' };
const FAILED: Ending = {
  challenge: 'failed',
  action: 'block',
  decision: 'block',
  statusCode: 200,
};
/** The upload was not judged, so the visitor still has to pass the challenge. */
const UNAVAILABLE: Ending = { ...LEFT, decision: 'none', statusCode: 503 };
const TRAPPED: Ending = {
  challenge: 'none',
  action: 'block',
  decision: 'block',
  statusCode: 404,
};

const RESPONSES = {
  allow: 'allow',
  challenge: 'redirect',
  block: 'block',
  limited: 'block',
} as const satisfies Record<DecisionEvent['action'], DecisionEvent['response']>;

function eventOf(
  outcome: Exclude<CollectOutcome, { kind: 'limited' }>,
  nowMs: number,
  ending: Ending,
): DecisionEvent | undefined {
  const { organisation, reasons, ip, userAgent, session = '', reference = '' } = outcome;
  if (organisation === undefined) return undefined;
  return {
    ...eventAt(nowMs, reasons, ending),
    organisation,
    method: 'POST',
    path: '/.guard/verify',
    ip,
    userAgent,
    session: sessionDigest(session),
    reference,
  };
}

/** The event of a visitor who followed the trap link that was made for this visitor. */
export function describeTrapHit(
  { organisation, session, ip, userAgent }: TrapHit,
  nowMs: number,
): DecisionEvent {
  return {
    ...eventAt(nowMs, ['trap_hit'], TRAPPED),
    organisation,
    method: 'GET',
    path: `/.guard${TRAP_PATH}`,
    ip,
    userAgent,
    session,
    reference: '',
  };
}

function eventAt(nowMs: number, blockReasons: readonly Reason[], ending: Ending) {
  return {
    ...NO_VALUES,
    ...ending,
    response: RESPONSES[ending.action],
    createdAt: nowMs,
    requestId: mintRequestId(nowMs),
    blockReasons,
    blockReasonCategories: categoriesOf(blockReasons),
  };
}

/** The fields that have no value in events of the collector. */
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
