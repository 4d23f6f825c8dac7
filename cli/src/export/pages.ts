import { setTimeout as sleep } from 'node:timers/promises';
import { readJson } from '@guard/config/contract/json';
import { QUERY } from '@guard/config/contract/limits';
import { type TimeRange, within } from '@guard/config/plain-words/find-events';
import { moment, quote } from '@guard/config/plain-words/quote';
import { z } from 'zod';
import {
  type EventsAccess,
  postQuery,
  queryEvents,
  refusalOf,
} from '../running-guard/query-events.ts';

/** The parts of the statement for an export. */
export interface Wanted {
  readonly range: TimeRange;
  /** SQL that is put in parentheses. */
  readonly where: string | undefined;
  /** The list after SELECT. */
  readonly columns: string;
}

export type Page =
  | { readonly kind: 'rows'; readonly answer: Buffer }
  /** The end, with missing rows. `why` is a phrase. */
  | { readonly kind: 'failed'; readonly why: string };

/** A statement may wait for others and then run for its full time limit. */
const TIMEOUT_MS = 2 * QUERY.maxExecutionS * 1000;
/** Rows of the first page and of the largest page. */
const FIRST_ROWS = 2_000;
const MOST_ROWS = 100_000;
/** Wanted bytes of a page: half of the allowed size of an answer. */
const AIM_BYTES = QUERY.maxAnswerBytes / 2;
/** Halving from the first page down to one row takes eleven tries. */
const MOST_TRIES = 14;
/** The status for a statement that takes too long. */
const TOO_SLOW = 408;
const PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

const Hour = z.object({ hour: z.number(), rows: z.number() });
export type Hour = z.infer<typeof Hour>;

/** The position of a row in the order of an export. */
const Place = z.object({ ms: z.number(), id: z.guid() });
type Place = z.infer<typeof Place>;

/** The number of rows in each hour, in ascending order. Hours without rows are left out. */
export function countHours(
  access: EventsAccess,
  wanted: Wanted,
): ReturnType<typeof queryEvents<Hour>> {
  const sql = `SELECT toUnixTimestamp(toStartOfHour(created_at)) AS hour, toUInt32(count()) AS rows
FROM events_distributed WHERE ${conditionOf(wanted, wanted.range)} GROUP BY hour ORDER BY hour`;
  return queryEvents(access, sql, Hour, TIMEOUT_MS);
}

/** An answer without rows. It has the names of the columns if the format has them. */
export function askHead(access: EventsAccess, wanted: Wanted, format: string): Promise<Page> {
  const condition = conditionOf(wanted, wanted.range);
  const sql = `SELECT ${wanted.columns} FROM events_distributed WHERE ${condition} LIMIT 0 FORMAT ${format}`;
  return askPage(access, sql);
}

/**
 * Returns the rows in order of time, each once, in answers within Guard's limits. A page is a range of whole hours,
 * or a part of an hour with many rows. A refused page is asked again with half of the rows.
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
  /** The last row of the previous page, when it ended inside an hour. */
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
    // A page that was not full says nothing about the possible size.
    if (rows >= most / 2) most = Math.max(1, Math.min(MOST_ROWS, Math.floor(grown)));
  }
}

/** One page: the whole range, or only its first rows if it has more than a page can have. */
async function readPage(
  access: EventsAccess,
  wanted: Wanted,
  part: {
    readonly range: TimeRange;
    readonly behind: Place | undefined;
    /** The number of rows in the range. */
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

/** `isFinal` means that another attempt would fail in the same way. */
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

/** As many hours as fit into a page, but at least one. */
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

/** From the first of these hours to the hour after them. So rows that arrive meanwhile belong to one page. */
function rangeOf(all: TimeRange, hours: readonly Hour[], from: number, next: number): TimeRange {
  const first = (hours[from]?.hour ?? 0) * 1000;
  const behind = hours[next]?.hour;
  return {
    from: from === 0 ? all.from : Math.max(all.from, first),
    to: behind === undefined ? all.to : Math.min(all.to, behind * 1000),
  };
}

/** The position of the last row of a page. Undefined when all remaining rows fit into it. */
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
  const place = readJson(Place, line);
  return place === undefined
    ? { kind: 'failed', why: `${access.url} answered what is no place of an event`, isFinal: true }
    : { kind: 'found', place };
}

function conditionOf({ where }: Wanted, range: TimeRange, behind?: Place, until?: Place): string {
  return [
    within(range),
    ...(behind === undefined ? [] : [`(created_at, request_id) > ${tuple(behind)}`]),
    ...(until === undefined ? [] : [`(created_at, request_id) <= ${tuple(until)}`]),
    // The condition has its own lines, because its last line may be a comment.
    ...(where === undefined ? [] : [`(\n${where}\n)`]),
  ].join(' AND ');
}

function tuple({ ms, id }: Place): string {
  return `(${moment(ms)}, toUUID(${quote(id)}))`;
}
