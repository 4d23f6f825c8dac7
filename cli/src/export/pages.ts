import { setTimeout as sleep } from 'node:timers/promises';
import { QUERY } from '@guard/config/contract/limits';
import { type TimeRange, within } from '@guard/config/plain-words/find-events';
import { moment, quote } from '@guard/config/plain-words/quote';
import { z } from 'zod';
import {
  type EventsAccess,
  postQuery,
  queryEvents,
  readRow,
  refusalOf,
} from '../running-guard/query-events.ts';

/** What to export. */
export interface Wanted {
  readonly range: TimeRange;
  /** SQL that may stand in parentheses. */
  readonly where: string | undefined;
  /** A list for SELECT. */
  readonly columns: string;
}

export type Page =
  | { readonly kind: 'rows'; readonly answer: Buffer }
  /** There will be no more pages, and rows are missing. `why` is a phrase. */
  | { readonly kind: 'failed'; readonly why: string };

/** A statement may wait for others, and then run for its whole time. */
const TIMEOUT_MS = 2 * QUERY.maxExecutionS * 1000;
/** Rows of the first page, and of the largest one. */
const FIRST_ROWS = 2_000;
const MOST_ROWS = 100_000;
/** How many bytes a page should have: half of what an answer may have. */
const AIM_BYTES = QUERY.maxAnswerBytes / 2;
/** From the first page down to one row it takes eleven. */
const MOST_TRIES = 14;
/** What ClickHouse answers to a statement that takes too long. */
const TOO_SLOW = 408;
const PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

const Hour = z.object({ hour: z.number(), rows: z.number() });
export type Hour = z.infer<typeof Hour>;

/** The place of a row in the order of an export. */
const Place = z.object({ ms: z.number(), id: z.guid() });
type Place = z.infer<typeof Place>;

/** The number of rows of each hour, the earliest hour first. Hours without rows are left out. */
export function countHours(
  access: EventsAccess,
  wanted: Wanted,
): ReturnType<typeof queryEvents<Hour>> {
  const sql = `SELECT toUnixTimestamp(toStartOfHour(created_at)) AS hour, toUInt32(count()) AS rows
FROM events_distributed WHERE ${conditionOf(wanted, wanted.range)} GROUP BY hour ORDER BY hour`;
  return queryEvents(access, sql, Hour, TIMEOUT_MS);
}

/** The answer without rows: the names of the columns, where the format has them. */
export function askHead(access: EventsAccess, wanted: Wanted, format: string): Promise<Page> {
  const condition = conditionOf(wanted, wanted.range);
  const sql = `SELECT ${wanted.columns} FROM events_distributed WHERE ${condition} LIMIT 0 FORMAT ${format}`;
  return askPage(access, sql);
}

/**
 * The rows in the order of time, each once, in answers that Guard's limits let through. A page is a range of whole
 * hours, or a part of one that has many rows. One that is refused is asked again with half of the rows.
 */
export async function* readPages(
  access: EventsAccess,
  wanted: Wanted,
  hours: readonly Hour[],
  format: string,
): AsyncGenerator<Page> {
  let most = FIRST_ROWS;
  let failures = 0;
  let at = 0;
  /** The last row that was read, where a page ended inside of an hour. */
  let behind: Place | undefined;
  while (at < hours.length) {
    const { next, rows } = gather(hours, at, most);
    const range = rangeOf(wanted.range, hours, at, next);
    const page = await readPage(access, wanted, { range, behind, rows, most, format });
    if (page.kind === 'failed') {
      failures += 1;
      if (failures === MOST_TRIES || page.isFinal) {
        yield page;
        return;
      }
      most = Math.max(1, Math.floor(most / 2));
      await sleep(Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** failures));
      continue;
    }
    failures = 0;
    yield page;
    if (page.until === undefined) at = next;
    else behind = page.until;
    const grown = most * Math.min(2, AIM_BYTES / Math.max(1, page.answer.length));
    // A page that had less than it might have says nothing of how much it can have.
    if (rows >= most / 2) most = Math.max(1, Math.min(MOST_ROWS, Math.floor(grown)));
  }
}

/** One page: the whole range, or where that has more rows than a page, its first rows. */
async function readPage(
  access: EventsAccess,
  wanted: Wanted,
  part: {
    readonly range: TimeRange;
    readonly behind: Place | undefined;
    /** How many the range has. */
    readonly rows: number;
    readonly most: number;
    readonly format: string;
  },
): Promise<Asked & { readonly until?: Place | undefined }> {
  const { range, behind, rows, most, format } = part;
  const end =
    rows <= most ? undefined : await placeOf(access, conditionOf(wanted, range, behind), most);
  if (end?.kind === 'failed') return end;
  const until = end?.place;
  const sql = `SELECT ${wanted.columns} FROM events_distributed
WHERE ${conditionOf(wanted, range, behind, until)}
ORDER BY created_at, request_id FORMAT ${format}`;
  return { ...(await askPage(access, sql)), until };
}

type Asked =
  | { readonly kind: 'rows'; readonly answer: Buffer }
  | { readonly kind: 'failed'; readonly why: string; readonly isFinal: boolean };

/** `isFinal`: another attempt would end the same way. */
async function askPage(access: EventsAccess, sql: string): Promise<Asked> {
  const asked = await postQuery(access, sql, TIMEOUT_MS);
  if (asked.kind === 'away') {
    return { kind: 'failed', why: `${access.url} gives no answer: ${asked.why}`, isFinal: false };
  }
  const { status, body } = asked;
  if (status === 200) return { kind: 'rows', answer: body };
  const why = refusalOf(access, status, body.toString());
  return { kind: 'failed', why, isFinal: status < 500 && status !== TOO_SLOW };
}

/** As many hours as have together no more rows than a page, but at least one. */
function gather(
  hours: readonly Hour[],
  from: number,
  most: number,
): { next: number; rows: number } {
  let next = from + 1;
  let rows = hours[from]?.rows ?? 0;
  for (; next < hours.length; next += 1) {
    const more = hours[next]?.rows ?? 0;
    if (rows + more > most) break;
    rows += more;
  }
  return { next, rows };
}

/** From the first of these hours to the first one behind them: rows that come meanwhile belong to one page, too. */
function rangeOf(all: TimeRange, hours: readonly Hour[], from: number, next: number): TimeRange {
  const first = (hours[from]?.hour ?? 0) * 1000;
  const behind = hours[next]?.hour;
  return {
    from: from === 0 ? all.from : Math.max(all.from, first),
    to: behind === undefined ? all.to : Math.min(all.to, behind * 1000),
  };
}

/** The place of the last row of a page; undefined where there are no more rows than a page has. */
async function placeOf(
  access: EventsAccess,
  condition: string,
  rows: number,
): Promise<
  | { readonly kind: 'found'; readonly place: Place | undefined }
  | Extract<Asked, { readonly kind: 'failed' }>
> {
  const sql = `SELECT toFloat64(toUnixTimestamp64Milli(created_at)) AS ms, request_id AS id FROM events_distributed
WHERE ${condition}
ORDER BY created_at, request_id LIMIT 1 OFFSET ${rows - 1} FORMAT JSONEachRow`;
  const asked = await askPage(access, sql);
  if (asked.kind === 'failed') return asked;
  const line = asked.answer.toString();
  if (line === '') return { kind: 'found', place: undefined };
  const place = readRow(line, Place);
  return place === undefined
    ? { kind: 'failed', why: `${access.url} answered what is no place of an event`, isFinal: true }
    : { kind: 'found', place };
}

function conditionOf({ where }: Wanted, range: TimeRange, behind?: Place, until?: Place): string {
  return [
    within(range),
    ...(behind === undefined ? [] : [`(created_at, request_id) > ${tuple(behind)}`]),
    ...(until === undefined ? [] : [`(created_at, request_id) <= ${tuple(until)}`]),
    // On lines of its own: the last line may be a comment.
    ...(where === undefined ? [] : [`(\n${where}\n)`]),
  ].join(' AND ');
}

function tuple({ ms, id }: Place): string {
  return `(${moment(ms)}, toUUID(${quote(id)}))`;
}
