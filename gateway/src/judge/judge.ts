import type { MaybePromise, ValidateOutcome } from '@guard/config/contract/ports';
import { Patience } from '@guard/config/time/patience';
import { ask } from './ask.ts';
import { plainAnswer } from '../enforce/enforce.ts';
import type { FailPolicy } from './fail-policy.ts';
import { planAnswer, type ServedAnswer } from './plan-answer.ts';
import {
  type Inquiry,
  NOTHING_KNOWN,
  type Passage,
  UNPROTECTED,
  type VisitorFacts,
} from '../visit.ts';
import { visitorFacts } from './visitor-facts.ts';

/** What becomes of a request: it goes on to its origin, or no further than here. */
export type Fate =
  | { readonly kind: 'onward'; readonly passage: Passage }
  | { readonly kind: 'served' | 'refused'; readonly answer: ServedAnswer };

/**
 * Decides about one request, whose path may be read in these ways (config/matching/path-readings): is
 * it protected, what does the validator say, and what does the fail policy make of that. Answers in
 * the same turn when the validator does. Never rejects.
 */
export type Judge = (inquiry: Inquiry, readings: readonly string[]) => MaybePromise<Fate>;

const TOO_BUSY = plainAnswer(503, 'The site is busy.', 'Retry-After', '1');
const TO_ORIGIN: Fate = { kind: 'onward', passage: UNPROTECTED };

/** The one decision path, for the front proxy and for forward-auth alike. */
export function createJudge(failPolicy: FailPolicy, askTimeoutMs: number): Judge {
  const patience = new Patience(askTimeoutMs);

  function decide(inquiry: Inquiry, outcome: ValidateOutcome, startedAt: number): Fate {
    const ruling = failPolicy(inquiry, outcome, startedAt);
    const { requestId } = ruling;
    if (inquiry.site.observe) return pass('observe', requestId, visitorFacts(inquiry, outcome));
    switch (ruling.kind) {
      case 'open':
        return pass('fail_open', requestId, NOTHING_KNOWN);
      case 'closed':
        return { kind: 'refused', answer: plainAnswer(403, 'Request denied.') };
      case 'busy':
        return { kind: 'refused', answer: TOO_BUSY };
      case 'enforce': {
        const plan = planAnswer(ruling.response);
        if (plan.kind === 'serve') return { kind: 'served', answer: plan.answer };
        const visitor = visitorFacts(inquiry, outcome);
        return pass('allow', requestId, visitor, plan.additions);
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

function pass(
  decision: Passage['decision'],
  requestId: string,
  visitor: VisitorFacts,
  additions?: Passage['additions'],
): Fate {
  return { kind: 'onward', passage: { decision, requestId, visitor, additions } };
}
