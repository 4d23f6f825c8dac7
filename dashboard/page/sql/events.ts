import * as plainWords from '@guard/config/plain-words/find-events';
import { moment, quote } from '@guard/config/plain-words/quote';
import { rowsOf, type Scope } from './where.ts';

/** Statements about single events. */

export const PAGE_ROWS = 50;

/** The columns of the statement `events`, in its order. */
export const EVENT_COLUMNS = [
  'created_at_ms',
  'request_id',
  'site',
  'action',
  'decision',
  'rule',
  'monitor',
  'block_reasons',
  'crawler_name',
  'method',
  'host',
  'path',
  'status_code',
  'ip',
  'country',
  'asn_name',
  'user_agent',
  'browser',
  'browser_version',
  'challenge',
] as const;

const SELECTED = EVENT_COLUMNS.map((name) =>
  name === 'created_at_ms' ? 'toUnixTimestamp64Milli(created_at) AS created_at_ms' : name,
).join(', ');

/**
 * One page of events, the newest first. `cursor` is the last event of the previous page: `<ms>.<request id>`. A
 * subquery first finds the time of the oldest row on the page, so that the database reads the other columns only for
 * few rows.
 */
export function events(scope: Scope, cursor: string): string {
  const [ms, id] = cursor.split('.');
  const seek =
    id === undefined || ms === undefined
      ? ''
      : `created_at <= ${moment(Number(ms))} AND (created_at, request_id) < (${moment(Number(ms))}, toUUID(${quote(id)}))`;
  const oldest = `created_at >= (SELECT min(created_at) FROM (SELECT created_at ${rowsOf(scope, seek)} ORDER BY created_at DESC LIMIT ${PAGE_ROWS}))`;
  return `SELECT ${SELECTED}
${rowsOf(scope, seek, oldest)}
ORDER BY created_at DESC, request_id DESC LIMIT ${PAGE_ROWS}
FORMAT JSONCompact`;
}

/** A session as a number, because grouping by numbers is faster. */
const SESSION = 'cityHash64(session_sent, ip, user_agent)';

/** The number of newest rows in which sessions are searched first. */
export const RECENT_ROWS = 5000;

/**
 * Sessions, the most recent first. `cursor` is the last session of the previous page: `<ms>.<number>`. Visitors without
 * a cookie are distinguished by address and User-Agent.
 *
 * The statement first finds the sessions of the page, usually among the most recent rows. If these rows have too few
 * sessions it searches all rows. After this it reads only the rows of the found sessions, because the indexes on
 * address and session find them.
 */
export function sessions(scope: Scope, cursor: string): string {
  const [ms, which = ''] = cursor.split('.');
  const isNext = /^\d{1,20}$/.test(which);
  const before = moment(Number(ms));
  const seek = isNext ? `WHERE (created_at, which) < (${before}, ${which})` : '';
  const until = isNext ? `created_at <= ${before}` : '';
  const recent = `SELECT min(created_at) FROM (SELECT created_at ${rowsOf(scope, until)} ORDER BY created_at DESC LIMIT ${RECENT_ROWS})`;
  const newestSince = (
    start: string,
  ): string => `SELECT groupArray((ip, session_sent, which)) FROM (
    SELECT * FROM (SELECT ip, session_sent, ${SESSION} AS which, created_at ${rowsOf(scope, `created_at >= ${start}`)}
      ORDER BY created_at DESC, which DESC LIMIT 1 BY which)
    ${seek} ORDER BY created_at DESC, which DESC LIMIT ${PAGE_ROWS})`;
  const start = `if(length(of_recent) = ${PAGE_ROWS}, recent, ${moment(scope.range.from)})`;
  return `WITH (${recent}) AS recent, (${newestSince('recent')}) AS of_recent, (${newestSince(start)}) AS newest
SELECT session_sent AS with_session, ip AS address, user_agent AS agent, count() AS requests,
  toUnixTimestamp64Milli(min(created_at)) AS first_ms, toUnixTimestamp64Milli(max(created_at)) AS last_ms,
  countIf(action = 'allow') AS allowed, countIf(action = 'challenge') AS challenged, countIf(action = 'block') AS blocked, countIf(action = 'limited') AS limited,
  uniq(path) AS paths, any(country) AS from_country, toString(argMax(request_id, created_at)) AS last_request, toString(any(${SESSION})) AS number
${rowsOf(scope, `has(newest.1, ip) AND has(newest.2, session_sent) AND has(newest.3, ${SESSION})`)}
GROUP BY with_session, address, agent
ORDER BY last_ms DESC, any(${SESSION}) DESC LIMIT ${PAGE_ROWS}
FORMAT JSONCompact`;
}

/** One event with all columns. */
export function oneEvent(requestId: string, now: number): string {
  return `${plainWords.oneEvent(requestId, now)}\nFORMAT JSONCompact`;
}

/** Events with this reference code, newest first. */
export function byReference(code: string, now: number): string {
  return `${plainWords.eventsOfReference(code, now)}\nFORMAT JSONCompact`;
}

interface Visitor {
  readonly atMs: number;
  readonly session: string;
  readonly ip: string;
  readonly userAgent: string;
}

/**
 * The 100 nearest requests of the same session, in the twelve hours before and after an event. For an event without a
 * session, the requests of the same address and User-Agent, in the ten minutes before and after.
 */
export function timeline({ atMs, session, ip, userAgent }: Visitor): string {
  const halfRangeMs = session === '' ? 600_000 : 12 * 3_600_000;
  const isSameVisitor =
    session === ''
      ? `ip = ${quote(ip)} AND user_agent = ${quote(userAgent)}`
      : plainWords.sessionCondition(session);
  return `SELECT * FROM (SELECT toUnixTimestamp64Milli(created_at) AS created_at_ms, request_id, action, rule, block_reasons, method, path, status_code, challenge
  FROM events_distributed
  WHERE ${plainWords.rangeCondition({ from: atMs - halfRangeMs, to: atMs + halfRangeMs })} AND ${isSameVisitor}
  ORDER BY abs(created_at_ms - ${Math.trunc(atMs)}) LIMIT 100)
ORDER BY created_at_ms
FORMAT JSONCompact`;
}
