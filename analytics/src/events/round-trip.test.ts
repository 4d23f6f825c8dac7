import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import type { DecisionEvent } from '@guard/config/contract/event';
import { isReason, reasons } from '@guard/config/contract/reasons';
import { SECRET_HEADERS } from '@guard/config/contract/secret-headers';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { openWithoutKeys, textOf } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import { until } from '../testing/until.ts';
import type { Analytics } from '../index.ts';

const folder = testFolder();
const recorders = createRecorders();
let analytics: Analytics;

/** The token of a batch of three rows whose file is damaged. */
const DAMAGED_TOKEN = '33333333-3333-4333-8333-333333333333';

beforeAll(async () => {
  const spill = join(folder, 'spill');
  mkdirSync(spill);
  writeFileSync(join(spill, `1700000000000-000001-3-500-${DAMAGED_TOKEN}.native`), 'x'.repeat(500));
  analytics = await openWithoutKeys({ engine: 'embedded', path: folder }, ['acme'], recorders);
  await until('the engine is ready', () => analytics.ready());
});

afterAll(async () => {
  await analytics.close();
});

async function rowsOf(condition: string): Promise<Record<string, unknown>[]> {
  const outcome = await analytics.runQuery({
    organisation: 'acme',
    sql: `SELECT * FROM events_distributed WHERE ${condition} FORMAT JSONEachRow`,
  });
  const lines = textOf(outcome).split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
}

const PIECES = [
  '',
  'a',
  ' ',
  '\u0000',
  '\n\t\\"\'`',
  '\ud800',
  '\udfff',
  '\u{1f600}',
  'é\u0301\u200f',
  '\ufffd',
  '€'.repeat(60),
  'x'.repeat(127),
  'y'.repeat(128),
  'z'.repeat(5000),
  '9'.repeat(20_000),
  '__proto__',
  'İΣ',
] as const;
const NAMES = [
  '__proto__',
  'constructor',
  'Accept',
  'accept',
  'COOKIE',
  'x-',
  '',
  'h'.repeat(200),
] as const;

type Random = ReturnType<typeof seededRandom>;

function anyText(random: Random): string {
  const codes = Array.from({ length: random.below(6) }, () => random.below(0x10000));
  return random.pick(PIECES) + String.fromCharCode(...codes) + random.pick(PIECES);
}

function anyHeaders(random: Random): Record<string, string> {
  const fields = Array.from({ length: random.below(random.below(10) === 0 ? 200 : 8) }, (_, at) => {
    const name = random.below(3) === 0 ? random.pick(NAMES) : `${anyText(random)}${at}`;
    return [name, anyText(random)] as const;
  });
  return Object.fromEntries(fields);
}

function anyEvent(random: Random): DecisionEvent {
  const number = (): number =>
    random.pick([0, -1, NaN, Infinity, 0.5, 65_535.9, 65_536, 2 ** 32, random.below(1e6)]);
  const list = (): string[] =>
    Array.from({ length: random.below(random.below(9) === 0 ? 100 : 4) }, () => anyText(random));
  const crawler = { id: anyText(random), name: anyText(random), category: anyText(random) };
  return sampleEvent({
    // Headers are kept for 14 days.
    createdAt: Date.now() - random.below(13 * 86_400_000),
    requestId: random.below(8) === 0 ? anyText(random) : randomUUID(),
    site: anyText(random),
    statusCode: number(),
    rule: anyText(random),
    monitor: random.below(2) === 0,
    observe: random.below(2) === 0,
    rateLimited: random.below(2) === 0,
    blockReasons: list(),
    blockReasonCategories: list(),
    crawler: random.below(2) === 0 ? undefined : { ...crawler, rslCategory: 'all', verified: true },
    method: anyText(random),
    host: anyText(random),
    path: anyText(random),
    query: anyText(random),
    userAgent: anyText(random),
    ip: anyText(random),
    durationUs: number(),
    stagesUs: { facts: number(), session: number(), verdict: number() },
    asn: number(),
    findings: REASONS.filter(() => random.below(8) === 0),
    headers: anyHeaders(random),
    body: anyText(random),
    http2: anyText(random),
  });
}

const REASONS = Object.keys(reasons).filter(isReason);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** The rule for columns of texts: a text is cut, and then made well-formed. */
function storedText(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

function wholeNumberBelow(value: number, max: number): number {
  return Number.isNaN(value) ? 0 : Math.floor(Math.min(Math.max(value, 0), max));
}

function storedHeaders(headers: Readonly<Record<string, string>>): [string, string][] {
  const kept = new Map<string, string>();
  let charsLeft = 8192;
  for (const [field, value] of Object.entries(headers)) {
    const name = storedText(field.toLowerCase(), 128);
    if (SECRET_HEADERS.has(name) || kept.has(name)) continue;
    const text = value.slice(0, charsLeft > 0 ? 2048 : 64);
    charsLeft -= Math.min(field.length, 128) + text.length;
    if (kept.size === 256) break;
    kept.set(name, text.toWellFormed());
  }
  return [...kept].sort();
}

/** Columns with their own rule, in which an event and its row must agree. */
function expected(event: DecisionEvent): Record<string, unknown> {
  const list = (items: readonly string[]): string[] =>
    items.slice(0, 64).map((item) => storedText(item, 256));
  return {
    created_at: new Date(event.createdAt).toISOString().replace('T', ' ').replace('Z', ''),
    request_id: UUID.test(event.requestId) ? event.requestId : NIL_UUID,
    site: storedText(event.site, 256),
    status_code: wholeNumberBelow(event.statusCode, 65_535),
    rule: storedText(event.rule, 256),
    monitor: event.monitor,
    observe: event.observe,
    rate_limited: event.rateLimited,
    block_reasons: list(event.blockReasons),
    block_reason_categories: list(event.blockReasonCategories),
    crawler_id: storedText(event.crawler?.id ?? '', 256),
    crawler_name: storedText(event.crawler?.name ?? '', 256),
    crawler_verified: event.crawler?.verified ?? false,
    method: storedText(event.method, 32),
    host: storedText(event.host, 512),
    path: storedText(event.path, 8192),
    query: storedText(event.query, 8192),
    user_agent: storedText(event.userAgent, 2048),
    ip: storedText(event.ip, 256),
    duration_us: wholeNumberBelow(event.durationUs, 4_294_967_295),
    ...expectedMore(event),
    http2: storedText(event.http2 ?? '', 512),
    body: storedText(event.body ?? '', 16_384),
    headers: storedHeaders(event.headers),
  };
}

/** Columns that not every event has. */
function expectedMore(event: DecisionEvent): Record<string, unknown> {
  const stages = event.stagesUs ?? { facts: 0, session: 0, verdict: 0 };
  return {
    facts_us: wholeNumberBelow(stages.facts, 4_294_967_295),
    session_us: wholeNumberBelow(stages.session, 4_294_967_295),
    verdict_us: wholeNumberBelow(stages.verdict, 4_294_967_295),
    asn: wholeNumberBelow(event.asn ?? 0, 4_294_967_295),
    findings: Object.fromEntries(
      (event.findings ?? []).map((reason, at) => [reason, event.findingPoints?.[at] ?? 0]),
    ),
  };
}

test('a damaged batch on disk is counted and dropped', async () => {
  await until(
    'the file of the batch is gone',
    () => readdirSync(join(folder, 'spill')).length === 0,
  );
  expect(recorders.counterValue('guard_events_total', 'dropped')).toBe(3);
});

describe('an event and its row (contract 2.7)', () => {
  test('any event comes back from the database with the values that its columns define (seeded)', async () => {
    const random = seededRandom();
    const events = new Map<string, DecisionEvent>();
    const writtenBefore = recorders.counterValue('guard_events_total', 'written');
    for (let index = 0; index < 400; index += 1) {
      const reference = `any ${index}`;
      const event = { ...anyEvent(random), reference };
      events.set(reference, event);
      analytics.sink.record(event);
    }
    await until('all events are written', () => recorders.gaugeValue('guard_events_queued') === 0);
    const rows = [];
    // The rows are read in parts, because an answer has at most 4 MiB.
    for (let part = 0; part < 25; part += 1) {
      rows.push(
        ...(await rowsOf(`cityHash64(reference) % 25 = ${part} AND reference LIKE 'any %'`)),
      );
    }
    expect(rows).toHaveLength(events.size);
    for (const row of rows) {
      const event = events.get(String(row['reference']));
      const fields = Object.entries(row['headers'] as Record<string, string>).sort();
      expect({ ...row, headers: fields }, `seed ${random.seed}`).toMatchObject(
        expected(event ?? sampleEvent()),
      );
    }
    expect(recorders.counterValue('guard_events_total', 'written')).toBe(
      writtenBefore + events.size,
    );
  });

  test('a malformed event does not affect the rows of others', async () => {
    const droppedBefore = recorders.counterValue('guard_events_total', 'dropped');
    const brokenEvent = sampleEvent({ reference: 'beside' });
    // A caller without types could do this.
    Object.assign(brokenEvent, { headers: { accept: 7 } });
    analytics.sink.record(sampleEvent({ reference: 'beside' }));
    analytics.sink.record(brokenEvent);
    analytics.sink.record(sampleEvent({ reference: 'beside' }));
    await until(
      'the other events are there',
      async () => (await rowsOf("reference = 'beside'")).length === 2,
    );
    expect(recorders.counterValue('guard_events_total', 'dropped')).toBe(droppedBefore + 1);
  });
});
