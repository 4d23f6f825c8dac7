import type { Log } from '@guard/config/contract/ports';
import type { Connection } from '../listen/connection.ts';
import { plainAnswer, type OwnAnswer } from '../message/own-answer.ts';
import type { OpenEvent } from './open-event.ts';
import type { AnswerAdditions } from './plan-answer.ts';
import { NOTHING_KNOWN, type VisitorFacts } from './visitor-facts.ts';

/** What the gateway does with one request: it forwards the request to the origin, or answers it itself. */
export type RequestPlan =
  | { readonly kind: 'forward'; readonly forward: ForwardPlan }
  | {
      readonly kind: 'served' | 'refused';
      readonly answer: OwnAnswer;
      /** As ForwardPlan.event. */
      readonly event: OpenEvent | undefined;
    };

/** The event of a decision. The code that enforces the plan records it. */
export function eventOf(plan: RequestPlan): OpenEvent | undefined {
  return plan.kind === 'forward' ? plan.forward.event : plan.event;
}

/**
 * A request that goes to its origin. `decision` says why, and the origin reads it in X-Guard-Decision:
 * `allow` is the answer of the validator, `not_matched` is a path that is not protected (contract 2.2),
 * `fail_open` means that no usable answer came (contract 7.1), and `observe` that nothing is enforced.
 */
export interface ForwardPlan {
  readonly decision: 'allow' | 'not_matched' | 'fail_open' | 'observe';
  /** Id of the decision's event; undefined when there was none. */
  readonly requestId: string | undefined;
  readonly visitor: VisitorFacts;
  /** What the validator wants on the answer of the origin. */
  readonly additions: AnswerAdditions | undefined;
  /** The code that forwards the request records it. Undefined where this gateway has no event to record. */
  readonly event: OpenEvent | undefined;
}

export const UNPROTECTED: ForwardPlan = {
  decision: 'not_matched',
  requestId: undefined,
  visitor: NOTHING_KNOWN,
  additions: undefined,
  event: undefined,
};

/** Refuses a path that origins could read in too many ways (RFC 9110 section 15.5.1), and logs it. */
export function refuseUnreadable(faults: Log, { peerIp }: Connection): RequestPlan {
  const { status } = UNREADABLE.answer;
  faults('info', 'gateway_request_refused', { status, reason: 'path readings', peer: peerIp });
  return UNREADABLE;
}

const UNREADABLE = {
  kind: 'refused',
  answer: plainAnswer(400, 'The path can be read in too many ways.'),
  event: undefined,
} as const satisfies RequestPlan;
