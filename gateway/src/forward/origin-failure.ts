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

/** Methods that may be sent twice (RFC 9110 section 9.2.2) and have no body to send again. */
export const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
