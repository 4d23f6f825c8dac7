import { UNJUDGED } from './fields.ts';
import { rowsOf, type Scope } from './where.ts';

/** Statements about rules, crawlers and the speed of decisions. */

/**
 * One row for each rule: the number of requests that it decided, that were stopped, that were only monitored, and that
 * would have been stopped; the time of its last request; and the number of requests of all rules. Then the times of its
 * last enforced and its first monitored request, or 0 if there is no such request.
 */
export function rules(scope: Scope): string {
  return `SELECT rule, count() AS hits, countIf(action != 'allow') AS stopped, countIf(monitor) AS watched,
  countIf(monitor AND decision != action) AS would_have_stopped, toUnixTimestamp64Milli(max(created_at)) AS last_ms, sum(count()) OVER () AS requests,
  toUnixTimestamp64Milli(maxIf(created_at, NOT monitor)) AS enforced_ms, toUnixTimestamp64Milli(minIf(created_at, monitor)) AS watched_ms
${rowsOf(scope)}
GROUP BY rule ORDER BY hits DESC, rule LIMIT 500
FORMAT JSONCompact`;
}

export function crawlers(scope: Scope): string {
  return `SELECT crawler_name, any(crawler_category) AS category, count() AS requests, countIf(crawler_verified) AS verified,
  countIf(has(block_reasons, 'crawler_impersonator')) AS false_ones, uniqIf(ip, has(block_reasons, 'crawler_impersonator')) AS false_addresses,
  countIf(action != 'allow') AS stopped, toUnixTimestamp64Milli(max(created_at)) AS last_ms
${rowsOf(scope, "crawler_name != ''")}
GROUP BY crawler_name ORDER BY requests DESC, crawler_name LIMIT 100
FORMAT JSONCompact`;
}

const STAGES = ['facts_us', 'session_us', 'verdict_us', 'duration_us'] as const;

/**
 * One row: the number of decisions, then p50, p95 and p99 of each stage in microseconds, then the same percentiles of
 * the origin.
 */
export function latency(scope: Scope): string {
  const stages = STAGES.map(
    (name) => `quantilesIf(0.5, 0.95, 0.99)(${name}, duration_us != 0) AS of_${name}`,
  );
  return `SELECT countIf(duration_us != 0) AS decisions, ${stages.join(', ')},
  quantilesIf(0.5, 0.95, 0.99)(origin_us, origin_status != 0) AS of_origin_us, countIf(origin_status != 0) AS answers,
  countIf(${UNJUDGED}) AS failed_open, countIf(decision = 'none' AND action != 'allow') AS failed_closed
${rowsOf(scope)}
FORMAT JSONCompact`;
}
