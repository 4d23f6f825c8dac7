import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { parseMetrics } from '../running-guard/read-metrics.ts';
import { frameOf, lineOf } from './frame.ts';
import type { Recent } from './recent.ts';
import { snapshotOf } from './snapshot.ts';

const BEFORE = `# HELP guard_decisions_total Decisions of the validator.
# TYPE guard_decisions_total counter
guard_decisions_total{action="allow"} 100
guard_decisions_total{action="block"} 40
guard_settings_age_seconds 5
`;
const AFTER = `guard_decisions_total{action="allow"} 300
guard_decisions_total{action="block"} 10
guard_decisions_total{action="challenge"} 5
guard_gateway_origin_errors_total{reason="refused"} 7
guard_sessions 12
guard_gateway_one_address 1
guard_last_reload_successful 0
guard_crawler_ranges_age_seconds 4000000
guard_network_data_age_seconds{data="lists"} 8208000
guard_network_data_age_seconds{data="country"} 100000
guard_network_data_age_seconds{data="asn"} 10000
`;
const RECENT: Recent = {
  kind: 'counted',
  reasons: Array.from({ length: 30 }, (_, at) => ({ name: `reason_${at}`, count: 100 - at })),
  addresses: Array.from({ length: 30 }, (_, at) => ({
    name: `2001:db8:1111:2222:3333:4444:5555:${1000 + at}`,
    count: 100_000 - at,
  })),
  sites: [{ name: 'shop.example', count: 100 }],
  p50Ms: 0.4,
  p99Ms: 2.25,
};

function snapshot(recent: Recent = RECENT) {
  const readPage = (page: string, atMs: number) =>
    ({ kind: 'read', values: parseMetrics(page), atMs }) as const;
  const startMs = Date.UTC(2026, 10, 21, 12, 0, 0);
  return snapshotOf(readPage(BEFORE, startMs), readPage(AFTER, startMs + 2_000), recent);
}

function texts(columns: number, rows: number, recent: Recent = RECENT): string[] {
  return frameOf('http://127.0.0.1:9090', snapshot(recent), { columns, rows }).map(
    ({ text }) => text,
  );
}

describe('rates', () => {
  test('are the growth of each label between two readings, also after a restart of a counter', () => {
    expect(snapshot().decisions).toEqual([
      { name: 'allow', perSecond: 100, total: 300 },
      { name: 'block', perSecond: 5, total: 10 },
      { name: 'challenge', perSecond: 2.5, total: 5 },
    ]);
  });

  test('labels with quotes are read, and lines that are not samples are ignored', () => {
    const values = parseMetrics('a{l="x\\"y"} 3\n# a 9\nb NaN\nc 1e3\nnonsense\n');
    expect([...values.keys()]).toEqual(['a', 'c']);
    expect(values.get('a')?.get('x\\"y')).toBe(3);
    expect(values.get('c')?.get('')).toBe(1000);
  });
});

describe('a frame', () => {
  test('of 80 × 24 has the numbers, the alarms, and both lists side by side, with complete addresses', () => {
    const lines = texts(80, 24);
    expect(lines).toHaveLength(24);
    expect(lines[0]).toBe('guard top  http://127.0.0.1:9090  12:00:02 UTC');
    expect(lines[2]).toBe('decisions   108/s        allow 100  block 5.0  challenge 2.5');
    expect(lines).toContain('deciding    p50 0.4 ms  p99 2.3 ms   sessions 12   events queued 0');
    expect(lines).toContain('! nearly all requests come from one address');
    expect(lines).toContain('! the settings that were read last were refused');
    expect(lines).toContain(
      'data        crawler lists 46 days old, countries 1 day old, autonomous systems 0',
    );
    expect(lines).toContain('! the lists of crawlers are old');
    const row = 'reason_0                     100  2001:db8:1111:2222:3333:4444:5555:1000 100000';
    expect(lines.some((line) => line.replace(/ +/g, ' ') === row.replace(/ +/g, ' '))).toBe(true);
    expect(lines.at(-1)).toMatch(/^shop\.example +100$/);
  });

  test('is never larger than the terminal', () => {
    const { below, seed } = seededRandom();
    for (let round = 0; round < 300; round++) {
      const [columns, rows] = [1 + below(200), 1 + below(60)];
      const lines = texts(columns, rows);
      const at = `seed ${seed}: ${columns}×${rows}`;
      expect(lines.length, at).toBeLessThanOrEqual(rows);
      expect(Math.max(...lines.map((line) => line.length)), at).toBeLessThanOrEqual(columns);
    }
  });

  test('without a key, a sentence about the missing key replaces the lists', () => {
    const lines = texts(80, 24, { kind: 'unknown', why: 'give an analytics key' });
    expect(lines.at(-1)).toBe('reasons, addresses, sites: give an analytics key');
  });

  test('has every entry when there is no terminal size', () => {
    expect(texts(Infinity, Infinity).filter((line) => line.startsWith('reason_'))).toHaveLength(30);
  });
});

test('without a terminal each update is one line', () => {
  expect(lineOf(snapshot())).toBe(
    '12:00:02 UTC  108 decisions/s  allow 100  block 5.0  challenge 2.5  origin errors 3.5  mostly reason_0  ! nearly all requests come from one address  ! the settings that were read last were refused  ! the lists of crawlers are old',
  );
});
