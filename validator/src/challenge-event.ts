import { sessionDigest } from '@guard/config/contract/session-digest';
import type { DecisionEvent } from '@guard/config/contract/event';
import { categoriesOf } from '@guard/config/contract/reasons';
import { mintRequestId } from '@guard/config/contract/request-id';
import type { CollectOutcome } from './challenge/collect-outcome.ts';

/**
 * The event of an upload that came to nothing, so that the reference code on a visitor's failure
 * screen is found again by SQL. What was judged needs none: the visitor's next decision says it.
 * Undefined when there is nothing to say, or no authentic ticket names the organisation: an event
 * for everything that is posted here would let anybody fill the table.
 */
export function describeFailedUpload(
  outcome: CollectOutcome,
  nowMs: number,
): DecisionEvent | undefined {
  switch (outcome.kind) {
    case 'verified':
    case 'rejected':
    case 'limited':
      return undefined;
    case 'failed':
      return eventOf(outcome, nowMs, {
        action: 'block',
        decision: 'block',
        response: 'block',
        statusCode: 200,
      });
    // Nobody concluded anything: the visitor stays in front of the challenge.
    case 'unavailable':
      return eventOf(outcome, nowMs, {
        action: 'challenge',
        decision: 'none',
        response: 'redirect',
        statusCode: 503,
      });
  }
}

function eventOf(
  outcome: Extract<CollectOutcome, { kind: 'failed' | 'unavailable' }>,
  nowMs: number,
  ending: Pick<DecisionEvent, 'action' | 'decision' | 'response' | 'statusCode'>,
): DecisionEvent | undefined {
  if (outcome.organisation === undefined) return undefined;
  return {
    ...ending,
    createdAt: nowMs,
    requestId: mintRequestId(nowMs),
    organisation: outcome.organisation,
    site: '',
    rule: '',
    monitor: false,
    observe: false,
    rateLimited: false,
    blockReasons: outcome.reasons,
    blockReasonCategories: categoriesOf(outcome.reasons),
    crawler: undefined,
    method: 'POST',
    scheme: '',
    host: '',
    path: '/.guard/verify',
    query: '',
    referrerOrigin: '',
    ip: outcome.ip,
    country: '',
    userAgent: outcome.userAgent,
    session: sessionDigest(outcome.session ?? ''),
    challenge: 'failed',
    reference: outcome.reference ?? '',
    validator: 'in-process',
    durationUs: 0,
    headers: {},
  };
}
