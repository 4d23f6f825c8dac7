const COLUMNS = [
  ...['created_at', 'request_id', 'organisation', 'site', 'action', 'decision', 'block_reasons'],
  ...['method', 'scheme', 'host', 'path', 'query', 'referrer_origin', 'ip', 'user_agent'],
  ...['session', 'session_sent', 'challenge', 'headers'],
].join(', ');

/**
 * The number of rows of the first page. An answer has at most 4 MiB. For a larger answer, the query is sent again for
 * half the rows.
 */
const FIRST_PAGE = 4_000;

/** Resolves with the answer to a statement, or with `too_large`. Rejects with an Error that says why there is no answer. */
export type Ask = (sql: string) => Promise<string>;

interface EventSource {
  readonly ask: Ask;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /**
   * Reads one event out of this number, selected by a hash of the request id. With 1 or undefined all events are read.
   */
  readonly oneIn?: number;
}

/** Resolves with the number of events. Rejects with an Error when the answer is not a number. */
export async function countEvents(source: EventSource): Promise<number> {
  const statement = `SELECT count() FROM events_distributed WHERE ${rangeOf(source)}`;
  const count = Number.parseInt(await source.ask(statement), 10);
  if (Number.isNaN(count)) throw new Error('an answer that is no count');
  return count;
}

/** Reads stored events, oldest first, a page at a time. Each event is a line for `readLine`. */
export async function* readEvents(source: EventSource): AsyncGenerator<readonly string[]> {
  let limit = FIRST_PAGE;
  let pageCondition = '';
  for (;;) {
    const answer = await source.ask(
      `SELECT ${COLUMNS} FROM events_distributed WHERE ${rangeOf(source)}${pageCondition}
       ORDER BY created_at, request_id LIMIT ${limit} FORMAT JSONEachRow`,
    );
    if (answer === 'too_large') {
      if (limit === 1) throw new Error('one event alone is larger than an answer may be');
      limit = Math.ceil(limit / 2);
      continue;
    }
    const lines = answer.split('\n').filter((line) => line !== '');
    const lastLine = lines.at(-1);
    if (lastLine === undefined) return;
    yield lines;
    if (lines.length < limit) return;
    pageCondition = ` AND ${conditionAfter(lastLine)}`;
  }
}

function rangeOf({ sinceMs, untilMs, oneIn = 1 }: EventSource): string {
  const sample = oneIn === 1 ? '' : ` AND cityHash64(request_id) % ${oneIn} = 0`;
  return `created_at >= ${instant(sinceMs)} AND created_at < ${instant(untilMs)}${sample}`;
}

function instant(ms: number): string {
  return `fromUnixTimestamp64Milli(${Math.round(ms)})`;
}

/**
 * Returns the SQL condition for the next page. The values can come from another machine, so they are validated first.
 */
function conditionAfter(line: string): string {
  const time = /"created_at":"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})"/.exec(line)?.[1];
  const id = /"request_id":"([0-9a-f-]{36})"/.exec(line)?.[1];
  if (time === undefined || id === undefined) throw new Error('an answer that is no event');
  return `(created_at, request_id) > (toDateTime64('${time}', 3, 'UTC'), toUUID('${id}'))`;
}
