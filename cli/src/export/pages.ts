import { setTimeout as sleep } from 'node:timers/promises';
import { readJson } from '@guard/config/contract/json';
import { QUERY } from '@guard/config/contract/limits';
import { type TimeRange, rangeCondition } from '@guard/config/plain-words/find-events';
import { moment, quote } from '@guard/config/plain-words/quote';
import { z } from 'zod';
import {
  type EventsAccess,
  postQuery,
  queryEvents,
  refusalOf,
} from '../running-guard/query-events.ts';

export interface ExportQuery {
  readonly range: TimeRange;
  /** A condition in SQL. It is written in parentheses. */
  readonly where: string | undefined;
  /** The list of columns after SELECT. */
  readonly columns: string;
}

export type Page =
  | { readonly kind: 'rows'; readonly answer: Buffer }
  /** The export ends, and rows are missing. `why` is a phrase. */
  | { readonly kind: 'failed'; readonly why: string };

/** A statement can wait for other statements and then run for its full time limit. */
const TIMEOUT_MS = 2 * QUERY.maxExecutionS * 1000;
/** The maximum number of rows of the first page, and of any page. */
const FIRST_ROWS = 2_000;
const MAX_ROWS = 100_000;
/** Pages should have this size: half of the allowed size of an answer. */
const TARGET_BYTES = QUERY.maxAnswerBytes / 2;
/** Halving from the first page down to one row takes eleven tries. */
const MAX_TRIES = 14;
const TOO_SLOW = 408;
const PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

const Hour = z.object({ hour: z.number(), rows: z.number() });
type Hour = z.infer<typeof Hour>;

const RowPosition = z.object({ ms: z.number(), id: z.guid() });
type RowPosition = z.infer<typeof RowPosition>;

/** The number of rows in each hour, in ascending order. Hours without rows are left out. */
export function countHours(
  access: EventsAccess,
  query: ExportQuery,
): ReturnType<typeof queryEvents<Hour>> {
  const sql = `SELECT toUnixTimestamp(toStartOfHour(created_at)) AS hour, toUInt32(count()) AS rows
FROM events_distributed WHERE ${conditionOf(query, query.range)} GROUP BY hour ORDER BY hour`;
  return queryEvents(access, sql, Hour, TIMEOUT_MS);
}

/** An answer without rows. It has the names of the columns, if the format includes them. */
export function readHead(access: EventsAccess, query: ExportQuery, format: string): Promise<Page> {
  const condition = conditionOf(query, query.range);
  const sql = `SELECT ${query.columns} FROM events_distributed WHERE ${condition} LIMIT 0 FORMAT ${format}`;
  return askPage(access, sql);
}

/**
 * Returns all rows in order of time, each row once. Each answer is within Guard's limits. A page is a range of whole
 * hours, or a part of an hour with many rows. A page that Guard refuses is requested again with half of the rows.
 */
export async function* readPages(
  access: EventsAccess,
  query: ExportQuery,
  hours: readonly Hour[],
  format: string,
): AsyncGenerator<Page> {
  let maxRows = FIRST_ROWS;
  let failures = 0;
  let at = 0;
  /** The last row of the previous page, when it ended inside an hour. */
  let lastRow: RowPosition | undefined;
  while (at < hours.length) {
    const { next, rows } = gatherHours(hours, at, maxRows);
    const range = rangeOf(query.range, hours, at, next);
    const page = await readPage(access, query, { range, lastRow, rows, maxRows, format });
    if (page.kind === 'failed') {
      failures += 1;
      if (failures === MAX_TRIES || page.isFinal) {
        yield page;
        return;
      }
      maxRows = Math.max(1, Math.floor(maxRows / 2));
      await sleep(Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** failures));
      continue;
    }
    failures = 0;
    yield page;
    if (page.until === undefined) at = next;
    else lastRow = page.until;
    const nextMax = maxRows * Math.min(2, TARGET_BYTES / Math.max(1, page.answer.length));
    // Only a page that was nearly full shows how many rows a page can have.
    if (rows >= maxRows / 2) maxRows = Math.max(1, Math.min(MAX_ROWS, Math.floor(nextMax)));
  }
}

/** Reads one page: the whole range, or only its first rows if it has more rows than a page can have. */
async function readPage(
  access: EventsAccess,
  query: ExportQuery,
  part: {
    readonly range: TimeRange;
    readonly lastRow: RowPosition | undefined;
    /** The number of rows in the range. */
    readonly rows: number;
    readonly maxRows: number;
    readonly format: string;
  },
): Promise<PageAnswer & { readonly until?: RowPosition | undefined }> {
  const { range, lastRow, rows, maxRows, format } = part;
  const condition = conditionOf(query, range, lastRow);
  const pageEnd = rows <= maxRows ? undefined : await findPosition(access, condition, maxRows);
  if (pageEnd?.kind === 'failed') return pageEnd;
  const until = pageEnd?.position;
  const sql = `SELECT ${query.columns} FROM events_distributed
WHERE ${conditionOf(query, range, lastRow, until)}
ORDER BY created_at, request_id FORMAT ${format}`;
  return { ...(await askPage(access, sql)), until };
}

type PageAnswer =
  | { readonly kind: 'rows'; readonly answer: Buffer }
  | { readonly kind: 'failed'; readonly why: string; readonly isFinal: boolean };

/** Requests one page. `isFinal` in the answer means that another attempt would fail in the same way. */
async function askPage(access: EventsAccess, sql: string): Promise<PageAnswer> {
  const result = await postQuery(access, sql, TIMEOUT_MS);
  if (result.kind === 'away') {
    return { kind: 'failed', why: `${access.url} gives no answer: ${result.why}`, isFinal: false };
  }
  const { status, body } = result;
  if (status === 200) return { kind: 'rows', answer: body };
  const why = refusalOf(access, status, body.toString());
  return { kind: 'failed', why, isFinal: status < 500 && status !== TOO_SLOW };
}

/** Collects as many hours as fit into one page, and at least one hour. */
function gatherHours(
  hours: readonly Hour[],
  from: number,
  maxRows: number,
): { next: number; rows: number } {
  let next = from + 1;
  let rows = hours[from]?.rows ?? 0;
  for (; next < hours.length; next += 1) {
    const hourRows = hours[next]?.rows ?? 0;
    if (rows + hourRows > maxRows) break;
    rows += hourRows;
  }
  return { next, rows };
}

/**
 * The range from the first of these hours to the next hour with rows. So a row that arrives during the export is in
 * exactly one page.
 */
function rangeOf(range: TimeRange, hours: readonly Hour[], from: number, next: number): TimeRange {
  const first = (hours[from]?.hour ?? 0) * 1000;
  const nextHour = hours[next]?.hour;
  return {
    from: from === 0 ? range.from : Math.max(range.from, first),
    to: nextHour === undefined ? range.to : Math.min(range.to, nextHour * 1000),
  };
}

/** The position of the last row of a page. Undefined when all remaining rows fit into the page. */
async function findPosition(
  access: EventsAccess,
  condition: string,
  rows: number,
): Promise<
  | { readonly kind: 'found'; readonly position: RowPosition | undefined }
  | Extract<PageAnswer, { readonly kind: 'failed' }>
> {
  const sql = `SELECT toFloat64(toUnixTimestamp64Milli(created_at)) AS ms, request_id AS id FROM events_distributed
WHERE ${condition}
ORDER BY created_at, request_id LIMIT 1 OFFSET ${rows - 1} FORMAT JSONEachRow`;
  const answer = await askPage(access, sql);
  if (answer.kind === 'failed') return answer;
  const line = answer.answer.toString();
  if (line === '') return { kind: 'found', position: undefined };
  const position = readJson(RowPosition, line);
  if (position !== undefined) return { kind: 'found', position };
  const why = `${access.url} did not answer with the position of an event`;
  return { kind: 'failed', why, isFinal: true };
}

function conditionOf(
  { where }: ExportQuery,
  range: TimeRange,
  after?: RowPosition,
  until?: RowPosition,
): string {
  return [
    rangeCondition(range),
    ...(after === undefined ? [] : [`(created_at, request_id) > ${tupleOf(after)}`]),
    ...(until === undefined ? [] : [`(created_at, request_id) <= ${tupleOf(until)}`]),
    // The condition is on its own lines, because its last line can be a comment.
    ...(where === undefined ? [] : [`(\n${where}\n)`]),
  ].join(' AND ');
}

function tupleOf({ ms, id }: RowPosition): string {
  return `(${moment(ms)}, toUUID(${quote(id)}))`;
}
