import { plainAnswer, type OwnAnswer } from '../message/own-answer.ts';
import type { OriginError } from '../origin/origin.ts';

/** What an origin's failure means for the visitor. */
export interface OriginFailure {
  readonly status: 502 | 503 | 504;
  /** Label of guard_gateway_origin_errors_total. */
  readonly reason: 'connect' | 'timeout' | 'reset' | 'malformed' | 'busy';
  /**
   * Whether another try is worth it. `same`: the connection was closed under the request, as idle ones
   * are, so it must be repeatable. `other`: this origin takes no connections, so nothing was sent.
   */
  readonly again: 'no' | 'same' | 'other';
}

/** By the kind of the error. */
export const ORIGIN_FAILURES: Readonly<Record<OriginError['kind'], OriginFailure>> = {
  connect: { status: 502, reason: 'connect', again: 'other' },
  timeout: { status: 504, reason: 'timeout', again: 'no' },
  closed: { status: 502, reason: 'reset', again: 'same' },
  truncated: { status: 502, reason: 'reset', again: 'no' },
  malformed: { status: 502, reason: 'malformed', again: 'no' },
  unsendable: { status: 502, reason: 'malformed', again: 'no' },
};

/** No connection was to be had within the bounds of the lane. */
export const BUSY: OriginFailure = { status: 503, reason: 'busy', again: 'no' };

/** The gateway's own words where there is no answer of the origin (RFC 9110 section 15.6). */
export function originAnswer(status: OriginFailure['status']): OwnAnswer {
  switch (status) {
    case 502:
      return plainAnswer(502, 'The site cannot be reached.');
    case 503:
      return plainAnswer(503, 'The site is busy.', 'Retry-After', '1');
    case 504:
      return plainAnswer(504, 'The site took too long to answer.');
  }
}
