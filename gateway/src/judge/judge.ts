import type { EventSink, MaybePromise, ValidateOutcome } from '@guard/config/contract/ports';
import { Patience } from '@guard/config/time/patience';
import { ask } from './ask.ts';
import { plainAnswer } from '../message/own-answer.ts';
import type { FailPolicy } from './fail-policy.ts';
import { OpenEvent } from './open-event.ts';
import { planAnswer } from './plan-answer.ts';
import { type RequestPlan, type ForwardPlan, UNPROTECTED } from './request-plan.ts';
import type { Inquiry } from '../arrive/visit.ts';
import { NOTHING_KNOWN, visitorFacts } from './visitor-facts.ts';

/**
 * Decides about one request. `readings` are the ways to read its path (config/matching/path-readings). Asks
 * the validator where the path is protected, and applies the fail policy to the outcome. Answers in
 * the same turn when the validator does. Never rejects, and throws only for a fault of the gateway itself.
 */
export type Judge = (inquiry: Inquiry, readings: readonly string[]) => MaybePromise<RequestPlan>;

const TOO_BUSY = plainAnswer(503, 'The site is busy.', 'Retry-After', '1');
const TO_ORIGIN: RequestPlan = { kind: 'forward', forward: UNPROTECTED };

/** The front proxy and forward-auth decide by the same judge. */
export function createJudge(
  failPolicy: FailPolicy,
  askTimeoutMs: number,
  events: EventSink,
): Judge {
  const patience = new Patience(askTimeoutMs);

  function decide(inquiry: Inquiry, outcome: ValidateOutcome, startedAt: number): RequestPlan {
    const ruling = failPolicy(inquiry, outcome, startedAt);
    const { requestId } = ruling;
    const ended = outcome.kind === 'answered' ? outcome.known?.ended : undefined;
    const event = ruling.event && new OpenEvent(ruling.event, events, ended);
    if (inquiry.site.observe) {
      const visitor = visitorFacts(inquiry, outcome);
      return toOrigin({ decision: 'observe', requestId, visitor, additions: undefined, event });
    }
    switch (ruling.kind) {
      case 'open': {
        const visitor = NOTHING_KNOWN;
        return toOrigin({ decision: 'fail_open', requestId, visitor, additions: undefined, event });
      }
      case 'closed':
        return { kind: 'refused', answer: plainAnswer(403, 'Request denied.'), event };
      case 'busy':
        return { kind: 'refused', answer: TOO_BUSY, event };
      case 'enforce': {
        const plan = planAnswer(ruling.response);
        if (plan.kind === 'serve') return { kind: 'served', answer: plan.answer, event };
        const visitor = visitorFacts(inquiry, outcome);
        return toOrigin({
          decision: 'allow',
          requestId,
          visitor,
          additions: plan.additions,
          event,
        });
      }
    }
  }

  return (inquiry, readings) => {
    if (!inquiry.site.isProtected(readings)) return TO_ORIGIN;

    const startedAt = performance.now();
    const outcome = ask(inquiry, patience);
    return outcome instanceof Promise
      ? outcome.then((late) => decide(inquiry, late, startedAt))
      : decide(inquiry, outcome, startedAt);
  };
}

function toOrigin(plan: ForwardPlan): RequestPlan {
  return { kind: 'forward', forward: plan };
}
