import { setTimeout as sleep } from 'node:timers/promises';
import { readJson } from '@guard/config/contract/json';
import type { QueryCaller, Clock, QueryOutcome, RunQuery } from '@guard/config/contract/ports';
import { beginWait, endWait, goneSignal } from '@guard/config/net/waiting-caller';
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { FindViewer } from '../sign-in/viewer.ts';

const QUERY_EVERY_MS = 1_000;
/**
 * Each query goes back this far. A row is written after its request has ended, so a new row can be older than a row
 * that was already shown.
 */
const LOOK_BACK_MS = 5_000;
const MAX_ROWS = 20;
/**
 * Maximum number of ids of sent rows in memory, so that no row is sent twice. This is the maximum number of rows that
 * are sent within `LOOK_BACK_MS`.
 */
const MAX_SENT_IDS = (MAX_ROWS * LOOK_BACK_MS) / QUERY_EVERY_MS;
const MAX_WHERE_CHARS = 8_192;
/**
 * The limit is much higher than `MAX_ROWS` rows need. It protects visitors: a filter can add rows with UNION, and
 * parsing many rows would delay visitors.
 */
const MAX_ANSWER_BYTES = 512 * 1024;
/** Maximum number of open streams. Each stream queries the database once a second. */
const MAX_STREAMS = 16;
const MAX_STREAMS_OF_ORGANISATION = 4;

const COLUMNS = [
  ...['created_at', 'request_id', 'site', 'action', 'decision', 'rule', 'block_reasons', 'method'],
  ...['host', 'path', 'status_code', 'ip', 'country', 'asn', 'asn_name', 'user_agent', 'browser'],
  ...['browser_version', 'crawler_name', 'crawler_verified', 'session', 'challenge', 'reference'],
].join(', ');

const Query = z.object({ where: z.string().max(MAX_WHERE_CHARS).default('') });

const Answer = z.object({
  data: z.array(
    z.looseObject({ request_id: z.string(), seen: z.coerce.number(), next: z.coerce.number() }),
  ),
});
type Row = z.infer<typeof Answer>['data'][number];

/**
 * `GET /api/live`: the newest events as Server-Sent Events, once a second while a page is open. It queries the database
 * like every panel, so it shows the events of all threads and instances, but only those of one organisation.
 */
export function liveRoute(options: {
  readonly viewerOf: FindViewer;
  readonly runQuery: RunQuery;
  readonly clock: Clock;
  readonly isOpen: () => boolean;
}): FastifyPluginAsync {
  const { viewerOf, runQuery, clock, isOpen } = options;
  const streams = new Map<string, number>();

  return (app) => {
    app.get('/api/live', { exposeHeadRoute: false }, async (request, reply) => {
      const viewer = viewerOf(request);
      if (viewer === undefined) return reply.code(401).send();
      const query = Query.safeParse(request.query);
      if (!query.success)
        return reply.code(400).type('text/plain').send('The filter is too long.\n');
      const { organisation } = viewer;
      const ownStreams = streams.get(organisation) ?? 0;
      const allStreams = [...streams.values()].reduce((sum, n) => sum + n, 0);
      if (ownStreams >= MAX_STREAMS_OF_ORGANISATION || allStreams >= MAX_STREAMS) {
        return reply.code(429).type('text/plain').send('Too many live views are open.\n');
      }
      streams.set(organisation, ownStreams + 1);
      reply.hijack();
      const { raw } = reply;
      const signal = goneSignal(raw);
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) raw.setHeader(name, value);
      }
      raw.writeHead(200, { 'content-type': 'text/event-stream' });
      try {
        for await (const event of followEvents(query.data.where, signal, () => viewerOf(request))) {
          endWait(raw);
          raw.write(event);
          // While a reader is slow, no query runs, because a queue for the reader would have no limit.
          while (raw.writableNeedDrain && !signal.aborted && isOpen()) await pause(signal);
          beginWait(raw);
        }
      } finally {
        streams.set(organisation, (streams.get(organisation) ?? 1) - 1);
        if (raw.writableNeedDrain) raw.destroy();
        else raw.end();
      }
      return reply;
    });
    return Promise.resolve();
  };

  /** The loop ends when the reader has disconnected or has lost access, and when the dashboard is closed. */
  async function* followEvents(
    where: string,
    signal: AbortSignal,
    currentViewer: () => QueryCaller | undefined,
  ): AsyncGenerator<string> {
    let sentIds: readonly string[] = [];
    let fromMs = clock() - LOOK_BACK_MS;
    /** The number of events since `fromMs` at the last query. Undefined before the first query. */
    let knownCount: number | undefined;
    yield ': live\n\n';
    while (!signal.aborted && isOpen()) {
      const viewer = currentViewer();
      if (viewer === undefined) return;
      const { organisation, authorization } = viewer;
      const nextMs = clock() - LOOK_BACK_MS;
      const sql = liveStatement(where, fromMs, nextMs);
      const rowsOrReason = rowsOf(await runQuery({ organisation, authorization, sql, signal }));
      if (typeof rowsOrReason === 'string') {
        yield sseEvent('failed', { message: rowsOrReason });
      } else {
        const rows = rowsOrReason.filter((row) => !sentIds.includes(row.request_id));
        sentIds = [...rows.map((row) => row.request_id), ...sentIds].slice(0, MAX_SENT_IDS);
        const [{ seen, next } = { seen: 0, next: 0 }] = rowsOrReason;
        const missingCount =
          knownCount === undefined ? 0 : Math.max(0, seen - knownCount - rows.length);
        yield rows.length === 0
          ? ': nothing\n\n'
          : sseEvent('rows', { rows: rows.map(withoutCounts), more: missingCount });
        [fromMs, knownCount] = [nextMs, next];
      }
      await pause(signal);
    }
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(QUERY_EVERY_MS, undefined, { signal }).catch(() => undefined);
}

/**
 * `seen` counts all events since `fromMs`, and `next` those since `nextMs` for the following query. An event can be
 * written some seconds after its time, so the times do not show how many events are new. So two queries count the
 * events since the same time, and the difference of their counts is the number of new events.
 */
function liveStatement(where: string, fromMs: number, nextMs: number): string {
  const sinceCondition = (ms: number): string =>
    `created_at >= fromUnixTimestamp64Milli(${Math.round(ms)})`;
  const condition = where.trim() === '' ? '' : ` AND (${where})`;
  return `SELECT ${COLUMNS}, count() OVER () AS seen, countIf(${sinceCondition(nextMs)}) OVER () AS next
FROM events_distributed
WHERE ${sinceCondition(fromMs)}${condition}
ORDER BY created_at DESC LIMIT ${MAX_ROWS}
FORMAT JSON`;
}

function rowsOf(outcome: QueryOutcome): readonly Row[] | string {
  switch (outcome.kind) {
    case 'rows': {
      if (outcome.body.length > MAX_ANSWER_BYTES) return 'The answer is too large.';
      const answer = readJson(Answer, Buffer.from(outcome.body).toString());
      return answer?.data ?? 'The answer of the database could not be read.';
    }
    case 'refused':
    case 'database_error':
    case 'unavailable':
      return outcome.message;
    case 'too_large':
      return 'The answer is too large.';
    case 'revoked':
      return 'The key was revoked.';
  }
}

function withoutCounts(row: Row): Readonly<Record<string, unknown>> {
  return { ...row, seen: undefined, next: undefined };
}

function sseEvent(name: 'rows' | 'failed', data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
