import { type EventsAccess, postQuery } from '../running-guard/query-events.ts';
import type { LineSink } from './read-lines.ts';

/** The columns of an event that a replay needs. */
const COLUMNS = [
  ...['created_at', 'request_id', 'organisation', 'site', 'action', 'decision', 'block_reasons'],
  ...['method', 'scheme', 'host', 'path', 'query', 'referrer_origin', 'ip', 'user_agent'],
  ...['session', 'challenge', 'headers'],
].join(', ');

/** Rows of one answer. An answer has to stay below 4 MiB, so the number is halved where it is larger. */
const FIRST_PAGE = 4_000;
const ANSWER_TIMEOUT_MS = 40_000;

export interface EventSource extends EventsAccess {
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** How many events there are. Throws an Error with the answer when it has no rows. */
export async function countEvents(source: EventSource): Promise<number> {
  const answer = await ask(
    source,
    `SELECT count() FROM events_distributed WHERE ${rangeOf(source)}`,
  );
  if (answer === 'too_large') throw new Error('a count that is too large');
  return Number(answer);
}

/** Reads stored events over `POST /query`, oldest first, a page at a time. Each is a line for the sink. */
export async function readEvents(source: EventSource, sink: LineSink): Promise<void> {
  let number = 0;
  let limit = FIRST_PAGE;
  let behind = '';
  for (;;) {
    const answer = await ask(
      source,
      `SELECT ${COLUMNS} FROM events_distributed WHERE ${rangeOf(source)}${behind}
       ORDER BY created_at, request_id LIMIT ${limit} FORMAT JSONEachRow`,
    );
    if (answer === 'too_large') {
      if (limit === 1) throw new Error('one event alone is larger than an answer may be');
      limit = Math.ceil(limit / 2);
      continue;
    }
    const lines = answer.split('\n').filter((line) => line !== '');
    for (const line of lines) {
      number += 1;
      sink.line(line, number);
      sink.read(1);
    }
    const last = lines.at(-1);
    if (last === undefined || lines.length < limit) return;
    behind = ` AND ${behindOf(last)}`;
  }
}

function rangeOf({ sinceMs, untilMs }: EventSource): string {
  return `created_at >= ${instant(sinceMs)} AND created_at < ${instant(untilMs)}`;
}

function instant(ms: number): string {
  return `fromUnixTimestamp64Milli(${Math.round(ms)})`;
}

/** Where the next page begins. Values are matched before they enter SQL, since they come from another machine. */
function behindOf(line: string): string {
  const time = /"created_at":"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})"/.exec(line)?.[1];
  const id = /"request_id":"([0-9a-f-]{36})"/.exec(line)?.[1];
  if (time === undefined || id === undefined) throw new Error('an answer that is no event');
  return `(created_at, request_id) > (toDateTime64('${time}', 3, 'UTC'), toUUID('${id}'))`;
}

async function ask(source: EventSource, sql: string): Promise<string> {
  const { url } = source;
  const answer = await postQuery(source, sql, ANSWER_TIMEOUT_MS);
  if (answer.kind === 'away') throw new Error(`${url}: ${answer.why}`);
  const { text } = answer;
  if (answer.status === 200) return text;
  if (answer.status === 502 && text.includes('larger than 4 MiB')) return 'too_large';
  const why = answer.status === 401 ? 'the key is not valid' : text.trim().slice(0, 300);
  throw new Error(`${url} answered ${answer.status}: ${why}`);
}
