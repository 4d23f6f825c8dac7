import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Analytics } from '@guard/analytics';
import type { DecisionEvent } from '@guard/config/contract/event';
import { openWithoutKeys, textOf } from '../analytics/src/testing/open-analytics.ts';
import { sampleEvent } from '../analytics/src/testing/sample-event.ts';
import { until } from '../analytics/src/testing/until.ts';
import {
  byReference,
  events,
  oneEvent,
  RECENT_ROWS,
  sessions,
  timeline,
} from '../dashboard/page/sql/events.ts';
import { FIELDS, type FieldName } from '../dashboard/page/sql/fields.ts';
import { TOP_LISTS, topLists } from '../dashboard/page/sql/lists.ts';
import { crawlers, latency, rules } from '../dashboard/page/sql/operations.ts';
import { funnel, overTime, totals } from '../dashboard/page/sql/overview.ts';
import { rates } from '../dashboard/page/sql/rates.ts';
import type { Scope } from '../dashboard/page/sql/where.ts';
import { SPLITS } from '../dashboard/page/url-state.ts';

/** These tests run each statement of the dashboard's page in the real engine, behind the real gate. */

const HOSTILE = [
  "' OR 1=1 --",
  "\\' OR 1=1 --",
  '\\',
  "'; SELECT 2",
  'a\0b',
  '/* {x:String} $$ 名',
];
const folder = mkdtempSync(join(tmpdir(), 'guard-dashboard-'));
const now = Date.now();
const everything: Scope = {
  range: { from: now - 3_600_000, to: now + 3_600_000 },
  site: '',
  filters: [],
  verdict: 'action',
};
let analytics: Analytics;

beforeAll(async () => {
  analytics = await openWithoutKeys({ engine: 'embedded', path: folder }, ['acme']);
  await analytics.settled;
  HOSTILE.forEach((path, at) =>
    analytics.sink.record(sampleEvent({ path, userAgent: path, createdAt: now - at })),
  );
  const counted = async (): Promise<boolean> =>
    (await read('SELECT count() FROM events_distributed')).trim() === String(HOSTILE.length);
  await until('the events are there', counted);
});

afterAll(async () => {
  await analytics.close();
  rmSync(folder, { recursive: true });
});

async function read(sql: string): Promise<string> {
  const outcome = await analytics.runQuery({ organisation: 'acme', sql });
  return outcome.kind === 'rows' ? textOf(outcome) : JSON.stringify(outcome);
}

async function rowsOf(sql: string): Promise<unknown[][]> {
  return (JSON.parse(await read(sql)) as { data: unknown[][] }).data;
}

async function requestsOf(scope: Scope): Promise<number> {
  return Number((await rowsOf(totals(scope)))[0]?.[1]);
}

const id = '0190c6f0-0000-7000-8000-000000000000';
const visitor = { atMs: now, session: '', ip: '203.0.113.7', userAgent: HOSTILE[0] ?? '' };
const statements: Readonly<Record<string, (scope: Scope) => string>> = {
  totals,
  funnel,
  rules,
  crawlers,
  latency,
  ...Object.fromEntries(
    SPLITS.flatMap((split) => [
      [`by ${split}`, (scope: Scope) => overTime(scope, split, false)],
      [`by ${split}, compared`, (scope: Scope) => overTime(scope, split, true)],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(TOP_LISTS).map(([name, lists]) => [
      name,
      (scope: Scope) => topLists(scope, lists),
    ]),
  ),
  'rates of addresses': (scope) => rates(scope, 'address'),
  'rates of sessions': (scope) => rates(scope, 'session'),
  events: (scope) => events(scope, ''),
  'older events': (scope) => events(scope, `${now}.${id}`),
  sessions: (scope) => sessions(scope, ''),
  'older sessions': (scope) => sessions(scope, String(now)),
  'one event': () => oneEvent(id, now),
  'an event of another id': () => oneEvent(id.replace('-7', '-4'), now),
  reference: () => byReference('K7QM2X9D', now),
  timeline: () => timeline({ ...visitor, session: HOSTILE[1] ?? '' }),
};
const hostileScope: Scope = {
  ...everything,
  site: HOSTILE[0] ?? '',
  verdict: 'decision',
  filters: (Object.keys(FIELDS) as FieldName[]).flatMap((field) =>
    HOSTILE.map((value, at) => ({ field, value, exclude: at % 2 === 0 })),
  ),
};

test.each(Object.entries(statements))(
  'the statement %s runs, also with hostile filters',
  async (_, statement) => {
    for (const scope of [everything, hostileScope]) {
      const answer = await read(statement(scope));
      expect(answer).toContain('"meta"');
      expect(answer).not.toContain('"kind"');
    }
  },
);

test.each(HOSTILE)('a filter by %j finds only the row with this value', async (path) => {
  const filters = [{ field: 'path', value: path, exclude: false } as const];
  expect(await requestsOf({ ...everything, filters })).toBe(1);
  const others = filters.map((filter) => ({ ...filter, exclude: true }));
  expect(await requestsOf({ ...everything, filters: others })).toBe(HOSTILE.length - 1);
  expect(await rowsOf(timeline({ ...visitor, userAgent: path }))).toHaveLength(1);
});

test('pages of events have each row once', async () => {
  const all = await rowsOf(events(everything, ''));
  const [ms, request] = all[2] ?? [];
  const older = await rowsOf(events(everything, `${String(ms)}.${String(request)}`));
  expect(older).toEqual(all.slice(3));
});

test.each([
  ['many visitors, whose requests alternate', (at: number) => at % 120],
  ['one visitor who sent all recent rows', (at: number) => Math.max(0, 130 - at)],
] as const)(
  'pages of sessions have each session once, newest first: %s',
  async (title, visitorOf) => {
    const at = now - (title.startsWith('one') ? 1_000_000 : 2_000_000);
    const seen = new Map<string, { requests: number; last: number }>();
    const total = RECENT_ROWS + 300;
    for (let each = 0; each < total; each += 1) {
      const ip = `198.51.100.${visitorOf(each)}`;
      const createdAt = at + each * 10;
      seen.set(ip, { requests: (seen.get(ip)?.requests ?? 0) + 1, last: createdAt });
      analytics.sink.record(sampleEvent({ ip, createdAt, site: 'of sessions' }));
    }
    const range = { from: at, to: at + total * 10 };
    const scope = { ...everything, range, site: 'of sessions' };
    await until('the events are there', async () => (await requestsOf(scope)) === total);
    const shown: unknown[][] = [];
    for (let cursor = ''; ;) {
      const page = await rowsOf(sessions(scope, cursor));
      if (page.length === 0) break;
      shown.push(...page);
      cursor = `${String(page.at(-1)?.[5])}.${String(page.at(-1)?.[13])}`;
    }
    const expected = [...seen].sort(([, a], [, b]) => b.last - a.last);
    expect(shown.map((row) => [row[1], Number(row[3]), Number(row[5])])).toEqual(
      expected.map(([ip, { requests, last }]) => [ip, requests, last]),
    );
  },
);

test('the most frequent addresses and their counts', async () => {
  const at = now - 3_200_000;
  const counts = Array.from({ length: 14 }, (_, each) => each + 1);
  for (const count of counts) {
    const row = { ip: `192.0.2.${count}`, country: 'DE', createdAt: at };
    for (let each = 0; each < count; each += 1) analytics.sink.record(sampleEvent(row));
  }
  const scope = { ...everything, range: { from: at - 1000, to: at + 1000 } };
  const total = counts.reduce((sum, count) => sum + count);
  await until('the events are there', async () => (await requestsOf(scope)) === total);
  const rows = await rowsOf(topLists(scope, TOP_LISTS.common.slice(0, 1)));
  const most = counts.slice(-10).reverse();
  expect(rows.map((row) => [row[1], row[2], Number(row[3])])).toEqual(
    most.map((count) => [`192.0.2.${count}`, 'DE', count]),
  );
});

test('the challenge: counts of visitors who left the page, never loaded it, passed, and were rejected', async () => {
  const at = now - 2_700_000;
  const left = { challenge: 'failed', blockReasons: ['challenge_abandoned'] } as const;
  const ways: readonly (readonly Partial<DecisionEvent>[])[] = [
    [],
    [left],
    [left, { challenge: 'verified' }],
    [{ challenge: 'rejected' }],
    [{ challenge: 'failed', blockReasons: ['challenge_expired'] }],
  ];
  const rows = ways.flatMap((way, number) =>
    [{ challenge: 'issued' } as const, ...way].map((event, each) => ({
      ...event,
      ip: `203.0.113.${number}`,
      createdAt: at + each * 1000,
    })),
  );
  for (const row of rows) analytics.sink.record(sampleEvent(row));
  const range = { from: at - 60_000, to: at + 60_000 };
  await until('the events are there', async () => {
    return (await requestsOf({ ...everything, range })) === rows.length;
  });
  const [row] = await rowsOf(funnel({ ...everything, range }));
  const [challenged, loaded, answered, verified, rejected, failed, gaveUp] = [5, 4, 3, 1, 1, 1, 2];
  const steps = [challenged, loaded, answered, verified, rejected, failed, gaveUp];
  expect(row?.slice(2, 9).map(Number)).toEqual(steps);
});

test('rules: the time since which a rule only monitors, if this time is in the period', async () => {
  const at = now - 1_800_000;
  const watched = [false, true, true];
  watched.forEach((monitor, each) =>
    analytics.sink.record(sampleEvent({ rule: 'on trial', monitor, createdAt: at + each * 1000 })),
  );
  const range = { from: at - 60_000, to: at + 60_000 };
  const [row] = await until('the events are there', async () => {
    const rows = await rowsOf(rules({ ...everything, range }));
    return Number(rows[0]?.[1]) === watched.length ? rows : undefined;
  });
  expect(row?.slice(7).map(Number)).toEqual([at, at + 1000]);
});
