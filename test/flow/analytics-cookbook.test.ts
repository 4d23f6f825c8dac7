import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionEvent } from '@guard/config/contract/event';
import { type Analytics, openAnalytics } from '@guard/analytics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRecorders } from '../../analytics/src/testing/recorders.ts';
import { sampleEvent } from '../../analytics/src/testing/sample-event.ts';
import { until } from '../../analytics/src/testing/until.ts';

/**
 * These tests run each statement of the analytics cookbook unchanged in the embedded engine, with the account of an
 * organisation. Each statement finds rows, because there are events of every kind.
 */

const CONTENT = join(import.meta.dirname, '../../docs/guide');
const COOKBOOK = 'analytics-cookbook.md';
const page = readFileSync(join(CONTENT, COOKBOOK), 'utf8');
const statements = [
  ...page.matchAll(/^### (.+)$(?:(?!^### )[\s\S])*?^```sql\n([\s\S]+?)^```$/gm),
].map(([, question = '', sql = '']) => ({ question, sql }));

/** The SELECT statements of other pages. GRANT and similar statements need another account. */
const otherPages = globSync('**/*.md', { cwd: CONTENT })
  .filter((file) => file !== COOKBOOK)
  .flatMap((file) => {
    const text = readFileSync(join(CONTENT, file), 'utf8');
    return [...text.matchAll(/^```sql\n(SELECT[\s\S]+?)^```$/gm)].map(([, sql = '']) => ({
      file,
      sql,
    }));
  });

const HOUR_MS = 3_600_000;
const VISITOR = '6b1f0d9c2e7a48358c5d1e9f70a2b4c6';

const passedFields = { session: VISITOR, challenge: 'verified', blockReasons: [] } as const;
const allowedFields = {
  action: 'allow',
  decision: 'allow',
  response: 'allow',
  statusCode: 200,
} as const;
const gptBot = {
  id: '931c0b40-e0b9-5793-9ebd-8c5281c232cc',
  name: 'GPTBot',
  category: 'AI Training',
  rslCategory: 'ai-train',
  verified: true,
} as const;

/** At least one event for each question of the page. */
const events: readonly Partial<DecisionEvent>[] = [
  {},
  { createdAt: Date.now() - 30 * HOUR_MS },
  { action: 'challenge', decision: 'challenge', challenge: 'issued', session: VISITOR },
  { ...allowedFields, ...passedFields, reference: 'K7QM2X9D' },
  { ...passedFields, blockReasons: ['automation_globals'] },
  { ...allowedFields, monitor: true, decision: 'block' },
  { ...allowedFields, observe: true, decision: 'challenge' },
  { action: 'limited', decision: 'limited', statusCode: 429, rateLimited: true },
  { ...allowedFields, decision: 'none', rule: '' },
  { ...allowedFields, crawler: gptBot, ip: '20.171.206.5' },
  { crawler: { ...gptBot, verified: false }, blockReasons: ['crawler_impersonator'] },
  // GPTBot reads robots.txt, and makes requests on the same day and later. On the same day it can still use an older
  // copy of robots.txt.
  { ...allowedFields, crawler: gptBot, path: '/robots.txt', createdAt: Date.now() - 40 * HOUR_MS },
  ...[20, 2, 1].map((hours) => ({
    crawler: gptBot,
    path: `/articles/${hours}`,
    createdAt: Date.now() - hours * HOUR_MS,
    rule: 'training',
    blockReasons: ['crawler_blocked'],
  })),
  // The first crawler is not verified, and the second one is an impersonator.
  {
    crawler: { ...gptBot, name: 'Bytespider', verified: false },
    rule: 'training',
    blockReasons: ['crawler_blocked'],
  },
  {
    crawler: { ...gptBot, verified: false },
    rule: 'training',
    blockReasons: ['crawler_impersonator', 'crawler_blocked'],
  },
  // This crawler never asks for robots.txt.
  { crawler: { ...gptBot, name: 'CCBot' }, rule: 'training', blockReasons: ['crawler_blocked'] },
  ...['curl/8.5.0', 'Wget/1.24.5'].map((userAgent) => ({
    userAgent,
    ja4: 't13d1516h2_8daaf6152771_x',
  })),
  ...['a', 'b', 'c'].map((session, visitor) => ({
    session,
    ip: `203.0.113.${20 + visitor}`,
    challenge: 'issued' as const,
    action: 'challenge' as const,
    userAgent: 'never passes',
  })),
  { ...allowedFields, statusCode: 502 },
  {
    ...allowedFields,
    statusCode: 500,
    originStatus: 500,
    originUs: 2_300,
    settingsRevision: 'f00',
  },
  { asn: 16_509, asnName: 'Amazon.com, Inc.' },
  ...Array.from({ length: 8 }, (_, name) => ({
    ...allowedFields,
    path: `/backup-${name}.zip`,
    originStatus: 404,
    statusCode: 404,
  })),
  // A scraper without cookies: each request sends no session and gets a new one.
  ...Array.from({ length: 8 }, (_, item) => ({
    ...allowedFields,
    ip: '203.0.113.99',
    session: `issued ${item}`,
    path: `/products/${item}`,
  })),
  ...Array.from({ length: 8 }, () => ({ method: 'POST', path: '/login' })),
  ...Array.from({ length: 8 }, (_, item) => ({ ...allowedFields, path: `/products/${item}` })),
];

const folder = mkdtempSync(join(tmpdir(), 'guard-cookbook-'));
let analytics: Analytics;

async function run(sql: string): Promise<string> {
  const outcome = await analytics.runQuery({ organisation: 'acme', sql });
  if (outcome.kind === 'rows') return Buffer.from(outcome.body).toString();
  throw new Error('message' in outcome ? outcome.message : outcome.kind);
}

beforeAll(async () => {
  const { log, metrics } = createRecorders();
  analytics = await openAnalytics({
    settings: { engine: 'embedded', path: folder },
    organisations: [{ id: 'acme' }],
    authenticate: () => undefined,
    clock: Date.now,
    log,
    metrics,
  });
  await until('the engine is ready', () => analytics.ready());
  for (const event of events) analytics.sink.record(sampleEvent(event));
  const countRows = () => run('SELECT count() FROM events_distributed');
  await until('the events are there', async () => (await countRows()) === `${events.length}\n`);
});

afterAll(async () => {
  await analytics.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the page has at least 15 questions, each with one statement over a range of created_at', () => {
  expect(statements.length).toBeGreaterThanOrEqual(15);
  expect(statements).toHaveLength([...page.matchAll(/^### /gm)].length);
  expect(statements).toHaveLength([...page.matchAll(/^```sql$/gm)].length);
  for (const { question, sql } of statements) {
    expect(sql, question).toMatch(
      /WHERE created_at BETWEEN now\(\) - INTERVAL \d+ [A-Z]+ AND now64\(\)/,
    );
  }
});

test.each(statements)('contract 4.3: "$question" is answered with rows', async ({ sql }) => {
  expect(await run(sql)).toMatch(/\S/);
});

test('a scraper that keeps no cookie is counted as one visitor, with any number of sessions', async () => {
  const copiedPages = statements.find(({ question }) =>
    question.startsWith('Pages that are copied'),
  );
  expect(await run(copiedPages?.sql ?? '')).toContain('203.0.113.99\t\t8\t');
});

test('the list has a crawler whose requests come a day after it read robots.txt, and one that never reads it', async () => {
  const statement = statements.find(({ question }) =>
    question.startsWith('Crawlers that do not keep'),
  );
  const rows = (await run(statement?.sql ?? '')).trim().split('\n');
  expect(rows.map((row) => row.split('\t').slice(0, 6))).toEqual([
    ['GPTBot', 'true', 'training', '1', '2', '2'],
    ['CCBot', 'true', 'training', '0', '1', '1'],
    ['Bytespider', 'false', 'training', '0', '1', '1'],
  ]);
});

test('contract 4.3: the three formats of the page are answered', async () => {
  const [first] = statements;
  for (const format of ['PrettyCompact', 'CSVWithNames', 'JSONEachRow']) {
    expect(await run(`${first?.sql ?? ''} FORMAT ${format}`)).toContain('requests');
  }
});

test('other pages also have statements', () => {
  expect(otherPages.length).toBeGreaterThanOrEqual(3);
});

test.each(otherPages)(
  'contract 4.3: a statement of $file is answered with rows',
  async ({ sql }) => {
    expect(await run(sql)).toMatch(/\S/);
  },
);
