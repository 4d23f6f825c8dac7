import type { Log } from '@guard/config/contract/ports';
import type { Connection } from '../listen/connection.ts';
import { plainAnswer, type ServedAnswer } from '../message/own-answer.ts';
import type { OpenEvent } from './open-event.ts';
import type { AnswerAdditions } from './plan-answer.ts';
import { NOTHING_KNOWN, type VisitorFacts } from './visitor-facts.ts';

/** What becomes of a request: it goes on to its origin, or no further than here. */
export type Fate =
  | { readonly kind: 'onward'; readonly passage: Passage }
  | {
      readonly kind: 'served' | 'refused';
      readonly answer: ServedAnswer;
      /** As Passage.event. */
      readonly event: OpenEvent | undefined;
    };

/** The event of a decision. The code that carries the decision out records it. */
export function eventOf(fate: Fate): OpenEvent | undefined {
  return fate.kind === 'onward' ? fate.passage.event : fate.event;
}

/**
 * Why a request goes on to the origin, which is told so in X-Guard-Decision:
 * `allow` by the validator, `not_matched` because nobody was to be asked (contract 2.2), `fail_open`
 * because nobody answered (contract 7.1), `observe` because nothing is enforced.
 */
export interface Passage {
  readonly decision: 'allow' | 'not_matched' | 'fail_open' | 'observe';
  /** Id of the decision's event; undefined when there was none. */
  readonly requestId: string | undefined;
  readonly visitor: VisitorFacts;
  /** What the validator wants on the answer of the origin. */
  readonly additions: AnswerAdditions | undefined;
  /** The code that takes the request on records it. Undefined where this gateway has no event to record. */
  readonly event: OpenEvent | undefined;
}

export const UNPROTECTED: Passage = {
  decision: 'not_matched',
  requestId: undefined,
  visitor: NOTHING_KNOWN,
  additions: undefined,
  event: undefined,
};

/** What becomes of a path that origins could read in too many ways (RFC 9110 section 15.5.1). Logs it. */
export function refuseUnreadable(faults: Log, { peerIp }: Connection): Fate {
  const { status } = UNREADABLE.answer;
  faults('info', 'gateway_request_refused', { status, reason: 'path readings', peer: peerIp });
  return UNREADABLE;
}

const UNREADABLE = {
  kind: 'refused',
  answer: plainAnswer(400, 'The path can be read in too many ways.'),
  event: undefined,
} as const satisfies Fate;
