import { plainAnswer } from '../message/own-answer.ts';
import type { OriginError } from '../origin/origin.ts';

/** What an origin's failure means for the visitor. */
export interface OriginFailure {
  readonly status: 502 | 503 | 504;
  /** Label of guard_gateway_origin_errors_total. */
  readonly reason: 'connect' | 'timeout' | 'reset' | 'malformed' | 'busy';
  /**
   * Whether to try again. `same`: the origin closed an idle connection while the request was on its way. Only a
   * repeatable request is sent again. `other`: this origin accepts no connection, so nothing was sent, and another
   * origin can get the request.
   */
  readonly retryAt: 'no' | 'same' | 'other';
}

/** The failure for each kind of error. */
export const ORIGIN_FAILURES: Readonly<Record<OriginError['kind'], OriginFailure>> = {
  connect: { status: 502, reason: 'connect', retryAt: 'other' },
  timeout: { status: 504, reason: 'timeout', retryAt: 'no' },
  closed: { status: 502, reason: 'reset', retryAt: 'same' },
  truncated: { status: 502, reason: 'reset', retryAt: 'no' },
  malformed: { status: 502, reason: 'malformed', retryAt: 'no' },
  unsendable: { status: 502, reason: 'malformed', retryAt: 'no' },
};

/** The lane of the origin was full. */
export const BUSY: OriginFailure = { status: 503, reason: 'busy', retryAt: 'no' };

/** The answer to an upload that has stopped before its end. */
export const STALLED = plainAnswer(408, 'The upload stalled.', 'Connection', 'close');
