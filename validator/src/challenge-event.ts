import type { DecisionEvent } from '@guard/config/contract/event';
import { categoriesOf } from '@guard/config/contract/reasons';
import { mintRequestId } from '@guard/config/contract/request-id';
import type { CollectOutcome } from './challenge/collect-outcome.ts';

/**
 * The event of an upload that came to nothing, so that the reference code on a visitor's failure
 * screen is found again by SQL. What was judged needs none: the visitor's next decision says it.
 * Undefined when there is nothing to say, or no authentic ticket names the organisation.
 */
export function describeFailedUpload(
  outcome: CollectOutcome,
  nowMs: number,
): DecisionEvent | undefined {
  if (outcome.kind !== 'failed' || outcome.organisation === undefined) return undefined;
  return {
    createdAt: nowMs,
    requestId: mintRequestId(nowMs),
    organisation: outcome.organisation,
    site: '',
    action: 'block',
    decision: 'block',
    response: 'block',
    statusCode: 200,
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
    session: outcome.session ?? '',
    challenge: 'failed',
    reference: outcome.reference ?? '',
    validator: 'in-process',
    durationUs: 0,
    headers: {},
  };
}
