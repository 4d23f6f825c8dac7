import { RETENTION } from '../contract/limits.ts';
import { moment, quote } from './quote.ts';

/** Statements that find the events of a code, a request or a visitor. */

const DAY_MS = 86_400_000;
const RETENTION_MS = RETENTION.rowsS * 1000;
const MAX_EVENTS_PER_CODE = 20;

/** Times are in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export function rangeCondition({ from, to }: TimeRange): string {
  return `created_at >= ${moment(from)} AND created_at < ${moment(to)}`;
}

/** The statement for one event with all columns. Most request ids contain their time, so only few rows are read. */
export function oneEvent(requestId: string, now: number): string {
  const mintedAtMs = mintedAt(requestId);
  const range =
    mintedAtMs === undefined
      ? storedRange(now)
      : { from: mintedAtMs - 600_000, to: mintedAtMs + 600_000 };
  return selectEvents(range, `request_id = toUUID(${quote(requestId)})`, 1);
}

/** The statement for the events with a reference code, newest first. */
export function eventsOfReference(code: string, now: number): string {
  return selectEvents(storedRange(now), `reference = ${quote(code)}`, MAX_EVENTS_PER_CODE);
}

/** The newest events of an address, or of a session (by its digest). */
export function eventsOfVisitor(visitor: string, now: number, limit: number): string {
  return selectEvents(storedRange(now), visitor, limit);
}

/** A summary of all stored events of a visitor in one row: number, first time, reasons. */
export function visitorInAll(visitor: string, now: number): string {
  return `SELECT count() AS requests, countIf(action = 'allow') AS allowed, countIf(action = 'challenge') AS challenged,
  countIf(action = 'block') AS blocked, countIf(action = 'limited') AS limited,
  toUnixTimestamp64Milli(min(created_at)) AS first_ms, toUnixTimestamp64Milli(max(created_at)) AS last_ms,
  sumMap(block_reasons, arrayMap(reason -> 1, block_reasons)) AS reasons
FROM events_distributed
WHERE ${rangeCondition(storedRange(now))} AND ${visitor}`;
}

export function addressCondition(ip: string): string {
  return `ip = ${quote(ip)}`;
}

export function sessionCondition(digest: string): string {
  return `(session = ${quote(digest)} OR session_sent = ${quote(digest)})`;
}

function selectEvents(range: TimeRange, condition: string, limit: number): string {
  return `SELECT *, toUnixTimestamp64Milli(created_at) AS created_at_ms
FROM events_distributed
WHERE ${rangeCondition(range)} AND ${condition}
ORDER BY created_at DESC LIMIT ${limit}`;
}

/** The range ends one day after now, because the clock of an instance can be ahead. */
function storedRange(now: number): TimeRange {
  return { from: now - RETENTION_MS, to: now + DAY_MS };
}

/** The time in a UUIDv7, in milliseconds since the epoch. Undefined for an id of another kind. */
function mintedAt(requestId: string): number | undefined {
  const digits = requestId.replaceAll('-', '');
  return digits.charAt(12) === '7' ? Number.parseInt(digits.slice(0, 12), 16) : undefined;
}
