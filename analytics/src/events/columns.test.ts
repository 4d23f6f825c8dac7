import { describe, expect, test } from 'vitest';
import { SECRET_HEADERS } from '@guard/config/contract/secret-headers';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { sampleEvent } from '../../test-kit/sample-event.ts';
import { encodeRow, EVENT_COLUMNS } from './columns.ts';

/** What the database is sent for one column. */
function sent(name: string, fields: Parameters<typeof sampleEvent>[0]): unknown {
  const values = JSON.parse(encodeRow(sampleEvent(fields))) as unknown[];
  return values[EVENT_COLUMNS.findIndex((column) => column.name === name)];
}

describe('an event row (spec 2.7)', () => {
  test('no credential enters it, however its header is spelled', () => {
    const headers = Object.fromEntries(
      [...SECRET_HEADERS].map((name, at) => [at % 2 ? name : name.toUpperCase(), 'credential']),
    );
    expect(encodeRow(sampleEvent({ headers }))).not.toContain('credential');
  });

  test('the session cookie is a credential too: its digest tells sessions apart', () => {
    const digest = sent('session', { session: '0f0e0d0c-0b0a-4908-8706-050403020100' });
    expect(digest).toMatch(/^[0-9a-f]{32}$/);
    expect(sent('session', { session: '0f0e0d0c-0b0a-4908-8706-050403020100' })).toBe(digest);
    expect(sent('session', { session: '1f0e0d0c-0b0a-4908-8706-050403020100' })).not.toBe(digest);
    expect(sent('session', { session: '' })).toBe('');
  });

  test('a lone surrogate becomes the replacement character, also where a cut makes one', () => {
    expect(sent('path', { path: 'a\udc00b' })).toBe('a\ufffdb');
    const cut = sent('user_agent', { userAgent: `${'x'.repeat(2047)}\u{1f600}` });
    expect(cut).toBe(`${'x'.repeat(2047)}\ufffd`);
  });

  test('a row is bounded, whatever a visitor sends', () => {
    const long = 'x'.repeat(1_000_000);
    const headers = Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`h${at}`, long.slice(0, 10_000)]),
    );
    const row = encodeRow(
      sampleEvent({
        headers,
        path: long,
        query: long,
        userAgent: long,
        host: long,
        method: long,
        referrerOrigin: long,
        ip: long,
        blockReasons: Array.from({ length: 1000 }, () => long),
      }),
    );
    expect(row.length).toBeLessThan(100_000);
  });

  test.each([
    ['status_code', { statusCode: NaN }, 0],
    ['status_code', { statusCode: 1e9 }, 65_535],
    ['duration_us', { durationUs: -1 }, 0],
    ['duration_us', { durationUs: 12.9 }, 12],
    ['created_at', { createdAt: Infinity }, 7_258_118_399_999],
    ['request_id', { requestId: 'not a uuid' }, '00000000-0000-0000-0000-000000000000'],
  ] as const)('%s of %o is stored as %s, because one bad value would refuse a batch', (...row) => {
    const [name, fields, expected] = row;
    expect(sent(name, fields)).toBe(expected);
  });

  test('a header may be called __proto__', () => {
    const headers = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    expect(Object.entries(sent('headers', { headers }) as object)).toEqual([['__proto__', 'x']]);
  });

  test('a row is one line and well-formed text, for any text (seeded)', () => {
    const random = seededRandom();
    for (let round = 0; round < 500; round += 1) {
      const codes = Array.from({ length: random.below(40) }, () => random.below(0x10000));
      const text = String.fromCharCode(...codes);
      const row = encodeRow(
        sampleEvent({ path: text, rule: text, headers: { [text]: text }, blockReasons: [text] }),
      );
      expect(row).not.toContain('\n');
      expect(row).not.toMatch(/\\ud[89a-f]/i);
      expect(row.isWellFormed()).toBe(true);
    }
  });
});
