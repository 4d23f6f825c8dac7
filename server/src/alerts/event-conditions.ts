import type { RunQuery } from '@guard/config/contract/ports';
import type { Alert } from './alert.ts';

/** Fewer blocks in ten minutes are no jump, however few they were before. */
const LEAST_BLOCKS = 50;
const TIMES_USUAL = 5;
/** Fewer visitors can be people who cleared their cookies. */
const LEAST_AGAIN = 10;
const SHARE_AGAIN = 0.05;

/** Blocks of each rule in the last ten minutes, and what ten minutes of the two hours before had. */
const BLOCKS = `SELECT rule, countIf(created_at >= now() - INTERVAL 10 MINUTE) AS recent,
  countIf(created_at < now() - INTERVAL 10 MINUTE) / 12 AS usual
FROM events_distributed
WHERE created_at >= now() - INTERVAL 130 MINUTE AND action = 'block'
GROUP BY rule HAVING recent >= ${LEAST_BLOCKS} AND recent > ${TIMES_USUAL} * usual
ORDER BY recent DESC LIMIT 5 FORMAT JSONCompact`;

/** Visitors of the last hour that passed a challenge, and those of them that got another one within ten minutes. */
const AGAIN = `SELECT countIf(passed) AS passes, countIf(again) AS again
FROM (SELECT countIf(challenge = 'verified') > 0 AS passed,
    windowFunnel(600)(toDateTime(created_at), challenge = 'verified', challenge = 'issued' AND action = 'challenge') = 2 AS again
  FROM events_distributed
  WHERE created_at >= now() - INTERVAL 1 HOUR AND challenge != 'none'
  GROUP BY ip, user_agent)
FORMAT JSONCompact`;

/** What the events of one organisation say. Nothing where they cannot be asked: other alerts tell that. */
export async function eventConditions(organisation: string, runQuery: RunQuery): Promise<Alert[]> {
  const [blocks, again] = await Promise.all([
    rowsOf(organisation, BLOCKS, runQuery),
    rowsOf(organisation, AGAIN, runQuery),
  ]);
  const jumps = blocks.map(([rule, recent, usual]): Alert => {
    const before = Math.round(Number(usual));
    const seen = `The rule ${JSON.stringify(rule)} of ${organisation} blocked ${String(recent)} requests in ten minutes. In the two hours before, ten minutes had ${before} on average.`;
    return { name: 'blocks_jump', about: `${organisation} ${String(rule)}`, seen };
  });
  const [passes, repeated] = (again[0] ?? []).map(Number);
  if (repeated === undefined || passes === undefined || repeated < LEAST_AGAIN) return jumps;
  if (repeated < SHARE_AGAIN * passes) return jumps;
  const seen = `${repeated} of ${passes} visitors of ${organisation} who passed in the last hour were challenged again within ten minutes. A proxy or cache may drop their cookie.`;
  return [...jumps, { name: 'challenged_again', about: organisation, seen }];
}

async function rowsOf(
  organisation: string,
  sql: string,
  runQuery: RunQuery,
): Promise<readonly (readonly unknown[])[]> {
  const outcome = await runQuery({ organisation, sql });
  if (outcome.kind !== 'rows') return [];
  // The database writes this format.
  const { data } = JSON.parse(Buffer.from(outcome.body).toString()) as { data: unknown[][] };
  return data;
}
