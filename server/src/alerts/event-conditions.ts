import type { RunQuery } from '@guard/config/contract/ports';
import { TEMPORARY_RULE } from '@guard/config/contract/temporary-rule';
import type { Alert } from './alert.ts';
import { LEAST_ORIGIN_ERRORS } from './metric-conditions.ts';

/** Fewer blocks in ten minutes are not treated as a jump, also when there were nearly none before. */
const LEAST_BLOCKS = 50;
const JUMP_FACTOR = 5;
/** A smaller number of visitors who are challenged again can be people who cleared their cookies. */
const LEAST_CHALLENGED_AGAIN = 10;
const SHARE_CHALLENGED_AGAIN = 0.05;
/** One visitor can send requests that a site does not answer, so the requests must come from several networks. */
const LEAST_NETWORKS = 3;

/**
 * The number of blocks of each rule in the last ten minutes, and the average before that. Temporary decisions are left
 * out, because a person made them.
 */
const BLOCKS_QUERY = `SELECT rule, countIf(created_at >= now() - INTERVAL 10 MINUTE) AS recent,
  countIf(created_at < now() - INTERVAL 10 MINUTE) / 12 AS usual
FROM events_distributed
WHERE created_at >= now() - INTERVAL 130 MINUTE AND action = 'block' AND NOT match(rule, '${TEMPORARY_RULE}')
GROUP BY rule HAVING recent >= ${LEAST_BLOCKS} AND recent > ${JUMP_FACTOR} * usual
ORDER BY recent DESC LIMIT 5 FORMAT JSONCompact`;

/**
 * Finds sites that left most of their recent requests without an answer, for visitors of several networks (/24 or /64).
 */
const SILENT_SITES_QUERY = `SELECT site, unanswered, asked, has_another
FROM (SELECT site, count() AS asked, countIf(is_silent) AS unanswered, uniqIf(cutIPv6(toIPv6OrDefault(ip), 8, 1), is_silent) AS networks,
    max(2 * unanswered <= asked) OVER () AS has_another
  FROM (SELECT site, ip, origin_status = 0 AND status_code IN (502, 503, 504) AS is_silent
    FROM events_distributed
    WHERE created_at >= now() - INTERVAL 5 MINUTE AND action = 'allow' AND site != '')
  GROUP BY site)
WHERE unanswered >= ${LEAST_ORIGIN_ERRORS} AND 2 * unanswered > asked AND networks >= ${LEAST_NETWORKS}
ORDER BY unanswered DESC LIMIT 5 FORMAT JSONCompact`;

/**
 * Counts the visitors who passed a challenge in the last hour, and how many of them got another challenge within ten
 * minutes.
 */
const CHALLENGED_AGAIN_QUERY = `SELECT countIf(passed) AS passes, countIf(again) AS again
FROM (SELECT countIf(challenge = 'verified') > 0 AS passed,
    windowFunnel(600)(toDateTime(created_at), challenge = 'verified', challenge = 'issued' AND action = 'challenge') = 2 AS again
  FROM events_distributed
  WHERE created_at >= now() - INTERVAL 1 HOUR AND challenge != 'none'
  GROUP BY ip, user_agent)
FORMAT JSONCompact`;

/**
 * The alerts for the events of one organisation. Empty when the events cannot be read: other alerts report this fault.
 * `isDown` is true when the metrics show that the origins are down. Then a silent site is reported only if another site
 * answers.
 */
export async function eventConditions(
  organisation: string,
  runQuery: RunQuery,
  isDown: boolean,
): Promise<Alert[]> {
  const readRows = (sql: string) => rowsOf(organisation, sql, runQuery);
  const alertLists = await Promise.all([
    readRows(BLOCKS_QUERY).then((rows) => jumpAlerts(organisation, rows)),
    readRows(SILENT_SITES_QUERY).then((rows) => silentSiteAlerts(organisation, rows, isDown)),
    readRows(CHALLENGED_AGAIN_QUERY).then((rows) => challengedAgainAlerts(organisation, rows)),
  ]);
  return alertLists.flat();
}

type Rows = readonly (readonly unknown[])[];

function jumpAlerts(organisation: string, rows: Rows): Alert[] {
  return rows.map(([rule, recent, usual]) => {
    const usualBlocks = Math.round(Number(usual));
    const seen = `The rule ${JSON.stringify(rule)} of ${organisation} blocked ${String(recent)} requests in ten minutes. In the two hours before, ten minutes had ${usualBlocks} on average.`;
    return { name: 'blocks_jump', about: `${organisation} ${String(rule)}`, seen };
  });
}

function silentSiteAlerts(organisation: string, rows: Rows, isDown: boolean): Alert[] {
  return rows.flatMap(([site, unanswered, asked, hasAnother]): Alert[] => {
    if (isDown && !hasAnother) return [];
    const otherSiteText = hasAnother ? ` Another site of ${organisation} answers.` : '';
    const seen = `${String(unanswered)} of ${String(asked)} requests for ${String(site)} in five minutes got no answer.${otherSiteText}`;
    return [{ name: 'origin_down', about: `${organisation} ${String(site)}`, seen }];
  });
}

function challengedAgainAlerts(organisation: string, rows: Rows): Alert[] {
  const [passes, repeats] = (rows[0] ?? []).map(Number);
  if (repeats === undefined || passes === undefined || repeats < LEAST_CHALLENGED_AGAIN) return [];
  if (repeats < SHARE_CHALLENGED_AGAIN * passes) return [];
  const seen = `${repeats} of ${passes} visitors of ${organisation} who passed in the last hour were challenged again within ten minutes. A proxy or cache may drop their cookie.`;
  return [{ name: 'challenged_again', about: organisation, seen }];
}

async function rowsOf(organisation: string, sql: string, runQuery: RunQuery): Promise<Rows> {
  const outcome = await runQuery({ organisation, sql });
  if (outcome.kind !== 'rows') return [];
  // The cast is safe, because the database writes this format.
  const { data } = JSON.parse(Buffer.from(outcome.body).toString()) as { data: unknown[][] };
  return data;
}
