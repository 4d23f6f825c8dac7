import { rowsOf, type Scope } from './where.ts';

/** Statements about the requests per minute of addresses and sessions. */

export type RateOf = 'address' | 'session';

const DAY_MS = 86_400_000;

/** The part of a range for which rates are counted: its last 24 hours. */
export function rateRange({ from, to }: Scope['range']): Scope['range'] {
  return { from: Math.max(from, to - DAY_MS), to };
}

/**
 * The columns of a row: a peak (the highest number of requests in one minute), the number of addresses or sessions with
 * this peak, their total requests, and some examples. With these rows the page tries any limit without another query.
 */
export function rates(scope: Scope, by: RateOf): string {
  const column = by === 'address' ? 'ip' : 'session_sent';
  return `SELECT peak, count() AS number, sum(requests) AS of_requests, groupArray(10)(who) AS who_for_example
FROM (SELECT who, max(n) AS peak, sum(n) AS requests
  FROM (SELECT ${column} AS who, intDiv(toUnixTimestamp(created_at), 60) AS minute, count() AS n
    ${rowsOf({ ...scope, range: rateRange(scope.range) }, `${column} != ''`)}
    GROUP BY who, minute)
  GROUP BY who)
GROUP BY peak ORDER BY peak
FORMAT JSONCompact`;
}
