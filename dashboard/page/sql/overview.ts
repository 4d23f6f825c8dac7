import type { TimeRange } from '@guard/config/plain-words/find-events';
import type { Split } from '../url-state.ts';
import { UNJUDGED } from './fields.ts';
import { previousPeriod, rowsOf, type Scope } from './where.ts';
import { moment } from '@guard/config/plain-words/quote';

/** Statements of the first view: totals, requests over time, and the challenge. */

const JSON_ROWS = 'FORMAT JSONCompact';

/** At most two rows: this period and the previous one. */
export function totals(scope: Scope): string {
  const { from, to } = scope.range;
  const bothPeriods = { ...scope, range: { from: previousPeriod(scope.range).from, to } };
  const is = (value: string): string => `countIf(${scope.verdict} = '${value}')`;
  return `SELECT created_at >= ${moment(from)} AS is_now, count() AS requests,
  ${is('allow')} AS allowed, ${is('challenge')} AS challenged, ${is('block')} AS blocked, ${is('limited')} AS limited,
  countIf(${UNJUDGED}) AS unjudged, countIf((observe OR monitor) AND decision NOT IN (action, 'none')) AS only_watched,
  countIf(challenge = 'verified' AND action = 'block') AS blocked_after_passing,
  topKIf(10)(rule, ${scope.verdict} IN ('challenge', 'block', 'limited')) AS busiest_rules
${rowsOf(bothPeriods)}
GROUP BY is_now ORDER BY is_now DESC
${JSON_ROWS}`;
}

const STEPS_S = [
  1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600, 5400, 7200, 10_800, 21_600,
  43_200, 86_400,
];
const MAX_BUCKETS = 150;

/** The width of a bar in milliseconds. A range has at most 150 bars. */
export function stepOf({ from, to }: TimeRange): number {
  const minStepS = (to - from) / 1000 / MAX_BUCKETS;
  return (STEPS_S.find((step) => step >= minStepS) ?? Math.ceil(minStepS / 86_400) * 86_400) * 1000;
}

const SPLIT_BY: Readonly<Record<Exclude<Split, 'action'>, string>> = {
  rule: "if(rule = '', '(no rule)', rule)",
  reason: "arrayJoin(if(empty(block_reasons), ['(no reason)'], block_reasons))",
  site: "if(site = '', '(no site)', site)",
  crawler: "if(crawler_name = '', '(no crawler)', crawler_name)",
  country: "if(country = '', '(unknown)', country)",
  asn: "if(asn = 0, '(unknown)', concat('AS', toString(asn), ' ', asn_name))",
  browser: "if(browser = '', '(no browser)', browser)",
};

/**
 * The columns are: whether the row is in this period, start of the bar, series, requests, revisions. Only the seven
 * largest series are separate.
 */
export function overTime(scope: Scope, split: Split, compare: boolean): string {
  const { from, to } = scope.range;
  const step = stepOf(scope.range);
  const earliest = compare ? previousPeriod(scope.range).from : from;
  const value = split === 'action' ? scope.verdict : SPLIT_BY[split];
  const isNow = compare ? `created_at >= ${moment(from)}` : '1';
  // The bars of each period begin at the start of the period, because the length of a period is not always a multiple
  // of a bar.
  const start = compare ? `if(${isNow}, ${from}, ${earliest})` : String(from);
  return `SELECT is_now, bucket, if(place <= 7, toString(series), '(others)') AS shown, sum(n) AS requests, groupUniqArrayArray(4)(revisions) AS revisions_seen
FROM (SELECT is_now, bucket, series, n, revisions, dense_rank() OVER (ORDER BY total DESC, series) AS place
  FROM (SELECT ${isNow} AS is_now, intDiv(toUnixTimestamp64Milli(created_at) - ${start}, ${step}) * ${step} + ${start} AS bucket,
      ${value} AS series, count() AS n, sum(count()) OVER (PARTITION BY series) AS total, groupUniqArray(4)(settings_revision) AS revisions
    ${rowsOf({ ...scope, range: { from: earliest, to } })}
    GROUP BY is_now, bucket, series))
GROUP BY is_now, bucket, shown ORDER BY bucket
${JSON_ROWS}`;
}

/** An address with a User-Agent as a number, because grouping by numbers is faster. */
const VISITOR = 'cityHash64(ip, user_agent)';

/**
 * Visitors by browser and version, with their progress through the challenge. A visitor is an address with a
 * User-Agent. "again" means a challenge within ten minutes after a pass.
 */
export function funnel(scope: Scope): string {
  const challengedCondition = "challenge IN ('issued', 'rejected', 'failed')";
  return `SELECT claimed, version, countIf(issued) AS challenged, countIf(issued AND (passed OR turned_away OR failed OR left)) AS loaded,
  countIf(issued AND (passed OR turned_away OR failed)) AS answered, countIf(issued AND passed) AS verified,
  countIf(issued AND turned_away AND NOT passed) AS rejected, countIf(issued AND failed AND NOT passed AND NOT turned_away) AS failures,
  countIf(issued AND NOT passed AND NOT turned_away AND NOT failed) AS abandoned, countIf(again) AS challenged_again
FROM (SELECT any(browser) AS claimed, any(browser_version) AS version, countIf(challenge = 'issued') > 0 AS issued,
    countIf(challenge = 'verified') > 0 AS passed, countIf(challenge = 'rejected') > 0 AS turned_away,
    countIf(challenge = 'failed' AND has(block_reasons, 'challenge_abandoned')) > 0 AS left,
    countIf(challenge = 'failed' AND NOT has(block_reasons, 'challenge_abandoned')) > 0 AS failed,
    windowFunnel(600)(toDateTime(created_at), challenge = 'verified', challenge = 'issued' AND action = 'challenge') = 2 AS again
  ${rowsOf(scope, "challenge != 'none'", `${VISITOR} GLOBAL IN (SELECT ${VISITOR} ${rowsOf(scope, challengedCondition)})`)}
  GROUP BY ${VISITOR})
GROUP BY claimed, version ORDER BY challenged DESC, claimed, version LIMIT 200
${JSON_ROWS}`;
}
