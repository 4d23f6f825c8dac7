/**
 * Measures how long an analyst waits for the queries and panels of a dashboard over the last day, and for look-ups over
 * all days. There are ten organisations. The organisation that asks has nine tenths of the rows. Each statement goes
 * through `POST /query`, and also directly to the database.
 */
import type { AddressInfo } from 'node:net';
import { type Analytics, openAnalytics } from '@guard/analytics';
import Fastify from 'fastify';
import { organisationAccount } from '../analytics/src/database/accounts.ts';
import { type DatabaseServer, describeServer } from '../analytics/src/testing/server.ts';
import { until } from '../analytics/src/testing/until.ts';
import {
  eventsOfReference,
  eventsOfVisitor,
  addressCondition,
  sessionCondition,
  oneEvent,
} from '../config/src/plain-words/find-events.ts';
import { events, sessions } from '../dashboard/page/sql/events.ts';
import { TOP_LISTS, topLists } from '../dashboard/page/sql/lists.ts';
import { crawlers, latency, rules } from '../dashboard/page/sql/operations.ts';
import { funnel, overTime, totals } from '../dashboard/page/sql/overview.ts';
import type { Scope } from '../dashboard/page/sql/where.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { median } from './measure/rounds.ts';

interface Row {
  readonly name: string;
  /** The time through the gate, the route and the organisation's account. */
  readonly routeMs: number;
  /** The time of the database alone, with the same account and the same kind of connection. */
  readonly databaseMs?: number;
  /** The median of the differences within the pairs. */
  readonly addedMs?: number;
}

type Ask = (sql: string) => Promise<string>;

const ORGANISATIONS = Array.from({ length: 10 }, (_, number) => `organisation-${number}`);
const ASKING = 'organisation-3';
const DAYS = 27;
const CHUNK_ROWS = 100_000;
/** The number of checks, one every 20 ms, that must find no merge. */
const QUIET_LOOKS = 100;
const MERGES_MS = 600_000;
/** The number of panels that are requested at the same time. An organisation has fewer slots, so some panels wait. */
const AT_ONCE = 20;
/** The number of pairs for one query in a round. */
const PAIRS = 5;
const RECENT = 'FROM events_distributed WHERE created_at > now() - INTERVAL 1 DAY';

const QUERIES: Readonly<Record<string, string>> = {
  'SELECT 1': 'SELECT 1',
  'decisions by the hour': `SELECT toStartOfHour(created_at) AS hour, decision, count() ${RECENT} GROUP BY hour, decision ORDER BY hour`,
  'top reasons': `SELECT arrayJoin(block_reasons) AS reason, count() AS requests ${RECENT} GROUP BY reason ORDER BY requests DESC LIMIT 20`,
  'top addresses': `SELECT ip, count() AS requests ${RECENT} GROUP BY ip ORDER BY requests DESC LIMIT 20`,
  'sessions by the hour': `SELECT toStartOfHour(created_at) AS hour, uniq(session) ${RECENT} GROUP BY hour ORDER BY hour`,
  'top agents, of the headers': `SELECT headers['user-agent'] AS agent, count() AS requests ${RECENT} GROUP BY agent ORDER BY requests DESC LIMIT 20`,
};

/** The statements of the dashboard's panels, over the last day. */
function panels(): Readonly<Record<string, string>> {
  const to = Date.now();
  const range = { from: to - 86_400_000, to };
  const scope: Scope = { range, site: '', filters: [], verdict: 'action' };
  return {
    'panel: tiles': totals(scope),
    'panel: over time': overTime(scope, 'action', false),
    'panel: over time by reason': overTime(scope, 'reason', false),
    'panel: challenge': funnel(scope),
    'panel: most frequent': topLists(scope, TOP_LISTS.common),
    'panel: most frequent networks': topLists(scope, TOP_LISTS.networks),
    'panel: most frequent programs': topLists(scope, TOP_LISTS.programs),
    'panel: events': events(scope, ''),
    'panel: sessions': sessions(scope, ''),
    'panel: rules': rules(scope),
    'panel: crawlers': crawlers(scope),
    'panel: latency': latency(scope),
  };
}

/** Look-ups of one value in each indexed column, over all days. The values come from a row in the middle. */
async function lookUps(database: Ask): Promise<Readonly<Record<string, string>>> {
  const sampleQuery = `SELECT reference, request_id, session, ip FROM events_distributed
    WHERE reference != '' AND created_at > now() - INTERVAL ${Math.ceil(DAYS / 2)} DAY ORDER BY created_at LIMIT 1`;
  const [reference = '', id = '', session = '', ip = ''] = (await database(sampleQuery))
    .trim()
    .split('\t');
  const now = Date.now();
  return {
    'look-up: reference': eventsOfReference(reference, now),
    'look-up: request id': oneEvent(id, now),
    'look-up: session': eventsOfVisitor(sessionCondition(session), now, 20),
    'look-up: address': eventsOfVisitor(addressCondition(ip), now, 20),
  };
}

export async function bench({ rounds, rows, onProgress }: BenchOptions): Promise<Report> {
  const server = await describeServer(ORGANISATIONS);
  try {
    await server.start();
    const analytics = await connect(server);
    const app = Fastify();
    try {
      await app.register(analytics.routes);
      await app.listen({ host: '127.0.0.1', port: 0 });
      const { port } = app.server.address() as AddressInfo;
      for (let from = 0; from < rows; from += CHUNK_ROWS) {
        onProgress(`${from} of ${rows} rows`);
        const refusal = await server.ask(insertion(from, Math.min(CHUNK_ROWS, rows - from), rows));
        if (refusal !== '') throw new Error(refusal);
      }
      await waitUntilQuiet(server, onProgress);
      const measurements = await measureAll(
        throughRoute(port),
        askDirectlyAt(server),
        rounds,
        onProgress,
      );
      return { rows: measurements, table: tableOf(measurements), notes: notesOf(rows) };
    } finally {
      await app.close();
      await analytics.close();
    }
  } finally {
    await server.close();
  }
}

async function connect({ url, writer }: DatabaseServer): Promise<Analytics> {
  const analytics = await openAnalytics({
    settings: { engine: 'clickhouse', url, ...writer },
    organisations: ORGANISATIONS.map((id) => ({ id })),
    authenticate: (authorization) =>
      authorization === 'Bearer bench' ? { organisation: ASKING, key: 'bench' } : undefined,
    clock: Date.now,
    // The accounts are in the server's files, because no statement can create an account on this server.
    log: () => undefined,
    metrics: { count: () => undefined, gauge: () => undefined },
  });
  await analytics.settled;
  return analytics;
}

/** Inserts rows of all organisations. Values repeat as in real traffic. The merges of many inserts build the indexes. */
function insertion(from: number, rows: number, total: number): string {
  const numberBelow = (salt: number, below: number): string =>
    `cityHash64(number, ${salt}) % ${below}`;
  // The squares of evenly distributed numbers are more often low.
  const lowNumber = (salt: number, below: number): string =>
    `toUInt64(pow(cityHash64(number, ${salt}) % 100000 / 100000, 3) * ${below})`;
  const agent = `concat('Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/', toString(80 + ${lowNumber(8, 60)}), '.0.', toString(${lowNumber(9, 40)}), '.0 Safari/537.36')`;
  const columns: Readonly<Record<string, string>> = {
    // The rows are in the order of time, like traffic.
    created_at: `now64(3) - toIntervalMillisecond(intDiv((${total} - number) * ${DAYS * 86_400_000}, ${total}))`,
    request_id: 'generateUUIDv4(number)',
    organisation: `if(${numberBelow(2, 10)} > 0, '${ASKING}', concat('organisation-', toString(${numberBelow(3, ORGANISATIONS.length)})))`,
    site: "'shop'",
    action: `['allow', 'allow', 'allow', 'allow', 'challenge', 'block'][1 + ${numberBelow(3, 6)}]`,
    decision: 'action',
    status_code: "if(action = 'allow', 200, 403)",
    block_reasons: `if(action = 'allow', [], ['datacenter_ip', concat('reason_', toString(${lowNumber(4, 60)}))])`,
    method: "'GET'",
    host: "'shop.example'",
    path: `concat('/products/', toString(${lowNumber(5, 2000)}))`,
    ip: `concat('203.', toString(${lowNumber(6, 200)}), '.', toString(${numberBelow(6, 250)}), '.', toString(${lowNumber(7, 250)}))`,
    country: `['DE', 'FR', 'US', 'NL', 'GB'][1 + ${lowNumber(10, 5)}]`,
    user_agent: agent,
    // There are about 2,500 sessions in 20,000 requests.
    session: `lower(hex(sipHash128(intDiv(number, 20000), ${numberBelow(11, 2500)})))`,
    session_sent: `if(${numberBelow(13, 8)} = 0, '', session)`,
    reference: "if(action = 'allow', '', upper(substring(hex(sipHash128(number)), 1, 8)))",
    duration_us: numberBelow(12, 60),
    headers: `map('accept', 'text/html,application/xhtml+xml', 'accept-language', 'de-DE,de;q=0.9', 'accept-encoding', 'gzip, deflate, br, zstd',
      'host', 'shop.example', 'sec-fetch-site', 'same-origin', 'sec-fetch-mode', 'navigate', 'referer', concat('https://shop.example', path),
      'x-forwarded-for', ip, 'user-agent', user_agent)`,
  };
  const values = Object.entries(columns).map(([name, value]) => `${value} AS ${name}`);
  return `INSERT INTO events (${Object.keys(columns).join(', ')}) SELECT ${values.join(', ')} FROM numbers(${from}, ${rows}) SETTINGS materialize_skip_indexes_on_insert = 1`;
}

/** Waits for the end of the merges, because the rows of a dashboard are usually merged. */
async function waitUntilQuiet(
  server: DatabaseServer,
  onProgress: (text: string) => void,
): Promise<void> {
  onProgress('waiting for merges');
  let quiet = 0;
  const isQuiet = async (): Promise<boolean> => {
    quiet = (await server.ask('SELECT count() FROM system.merges')) === '0' ? quiet + 1 : 0;
    return quiet === QUIET_LOOKS;
  };
  await until('the merges are done', isQuiet, MERGES_MS);
}

function throughRoute(port: number): Ask {
  return async (sql) => {
    const headers = { authorization: 'Bearer bench' };
    const url = `http://127.0.0.1:${port}/query`;
    return textOf(await fetch(url, { method: 'POST', headers, body: sql }));
  };
}

function askDirectlyAt({ url, writer }: DatabaseServer): Ask {
  const { user, password } = organisationAccount(ASKING, writer.password);
  const headers = {
    'x-clickhouse-user': user,
    'x-clickhouse-key': password,
    'accept-encoding': 'identity',
  };
  return async (sql) => textOf(await fetch(url, { method: 'POST', headers, body: sql }));
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return text;
}

async function measureAll(
  route: Ask,
  database: Ask,
  rounds: number,
  onProgress: (text: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, sql] of Object.entries({
    ...QUERIES,
    ...panels(),
    ...(await lookUps(database)),
  })) {
    onProgress(name);
    if ((await route(sql)) !== (await database(sql)) && name === 'SELECT 1') {
      throw new Error('the route and the database give different rows');
    }
    const pairs: { routeMs: number; databaseMs: number }[] = [];
    for (let pair = 0; pair < rounds * PAIRS; pair += 1) {
      const databaseMs = await timeOf(database, sql);
      pairs.push({ databaseMs, routeMs: await timeOf(route, sql) });
    }
    rows.push({
      name,
      routeMs: median(pairs.map(({ routeMs }) => routeMs)),
      databaseMs: median(pairs.map(({ databaseMs }) => databaseMs)),
      addedMs: median(pairs.map(({ routeMs, databaseMs }) => routeMs - databaseMs)),
    });
  }
  const allPanels = Object.values(panels());
  const readers = Array.from(
    { length: AT_ONCE },
    (_, index) => allPanels[index % allPanels.length] ?? '',
  );
  const askAtOnce = (ask: Ask): Promise<number> =>
    timeOf((sql) => Promise.all(readers.map(ask)).then(() => sql), '');
  onProgress(`${AT_ONCE} panels at once`);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await askAtOnce(route));
  rows.push({ name: `${AT_ONCE} panels at once, all answered`, routeMs: median(times) });
  return rows;
}

async function timeOf(ask: Ask, sql: string): Promise<number> {
  const start = performance.now();
  await ask(sql);
  return performance.now() - start;
}

function tableOf(rows: readonly Row[]): string {
  const head = ['query', 'POST /query ms', 'database ms', 'added ms'];
  const body = rows.map(({ name, routeMs, databaseMs, addedMs }) => [
    name,
    routeMs.toFixed(1),
    databaseMs?.toFixed(1) ?? '–',
    addedMs?.toFixed(1) ?? '–',
  ]);
  return toTable(head, body);
}

function notesOf(rows: number): string[] {
  return [
    `${rows.toLocaleString('en')} rows of ${ORGANISATIONS.length} organisations over ${DAYS} days; the one that has nine tenths of the rows asks: queries and panels about the last day, look-ups about all days`,
    `each query ${PAIRS} times in each round, always first directly to the database with the same account, and then through the route`,
    'targets: each query below 100 ms, each panel of the dashboard below 150 ms, each look-up below 100 ms, 20 panels at once below 2 s, less than 3 ms added',
  ];
}
