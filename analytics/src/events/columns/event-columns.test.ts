import { describe, expect, test } from 'vitest';
import type { DecisionEvent } from '@guard/config/contract/event';
import { SECRET_HEADERS } from '@guard/config/contract/secret-headers';
import { decodeBlock } from '../../testing/decode-block.ts';
import { sampleEvent } from '../../testing/sample-event.ts';
import { EVENT_COLUMNS } from './event-columns.ts';
import { BlockBuilder } from '../native/block.ts';

function encode(...events: readonly DecisionEvent[]): Buffer {
  const block = new BlockBuilder(EVENT_COLUMNS);
  block.add(events);
  return block.take();
}

/** The value of one column as the database gets it. */
function storedHeader(name: string, fields: Parameters<typeof sampleEvent>[0]): unknown {
  return decodeBlock(encode(sampleEvent(fields)))[0]?.get(name);
}

function headersIn(block: Buffer): unknown[] {
  return decodeBlock(block).map((row) => row.get('headers'));
}

describe('an event row (contract 2.7)', () => {
  test('an event row has no credential, in any spelling of the header', () => {
    const headers = Object.fromEntries(
      [...SECRET_HEADERS].map((name, at) => [at % 2 ? name : name.toUpperCase(), 'credential']),
    );
    expect(encode(sampleEvent({ headers })).includes('credential')).toBe(false);
  });

  test('a lone surrogate becomes the replacement character, also after a cut', () => {
    expect(storedHeader('path', { path: 'a\udc00b' })).toBe('a\ufffdb');
    const cutText = storedHeader('user_agent', { userAgent: `${'x'.repeat(2047)}\u{1f600}` });
    expect(cutText).toBe(`${'x'.repeat(2047)}\ufffd`);
  });

  test('a row has a limited size, even if a visitor sends much', () => {
    const long = 'x'.repeat(1_000_000);
    const headers = Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`h${at}`, long.slice(0, 10_000)]),
    );
    const row = encode(
      sampleEvent({
        headers,
        path: long,
        query: long,
        userAgent: long,
        host: long,
        method: long,
        referrerOrigin: long,
        ip: long,
        body: long,
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
    [
      'request_id',
      { requestId: '0f0e0d0c-0b0a-4908-8706-05040302010g' },
      '00000000-0000-0000-0000-000000000000',
    ],
    [
      'request_id',
      { requestId: 'FFFFFFFF-ffff-4fff-bfff-ffffffffffff' },
      'ffffffff-ffff-4fff-bfff-ffffffffffff',
    ],
  ] as const)(
    '%s of %o is stored as %s, because the database would refuse a batch with one bad value',
    (...row) => {
      const [name, fields, expected] = row;
      expect(storedHeader(name, fields)).toBe(expected);
    },
  );

  test('a header may have the name __proto__', () => {
    const headers = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    expect(storedHeader('headers', { headers })).toEqual([['__proto__', 'x']]);
  });

  test('header names that differ in case are one field', () => {
    const headers = { Accept: 'a', 'x-note': 'n', accept: 'b', ACCEPT: 'c' };
    expect(storedHeader('headers', { headers })).toEqual([
      ['accept', 'a'],
      ['x-note', 'n'],
    ]);
  });
});

describe('a block of rows', () => {
  test('a malformed event leaves no row, for each field that can be wrong', () => {
    const goodEvent = sampleEvent({ path: '/good', headers: { 'x-a': '1' } });
    const otherEvent = sampleEvent({ path: '/better', headers: { 'x-b': '2', 'x-c': '3' } });
    for (const field of Object.keys(goodEvent)) {
      const brokenEvent = { ...sampleEvent({ headers: { 'x-a': 'of the broken one' } }) };
      // A caller without types could do this.
      Object.assign(brokenEvent, { [field]: null });
      const block = new BlockBuilder(EVENT_COLUMNS);
      block.add([goodEvent]);
      try {
        block.add([brokenEvent]);
        // Some fields can be null. Then the event is not malformed, and the block has one more complete row.
        expect(decodeBlock(block.take()), field).toHaveLength(2);
        block.add([goodEvent]);
      } catch {
        expect(block.rows, field).toBe(1);
      }
      block.add([otherEvent]);
      expect(block.take().equals(encode(goodEvent, otherEvent)), field).toBe(true);
    }
  });

  test('a block contains nothing from the previous block', () => {
    const block = new BlockBuilder(EVENT_COLUMNS);
    const first = sampleEvent({ rule: 'first', headers: { 'x-first': 'first' } });
    const second = sampleEvent({ rule: 'second', headers: { 'x-second': 'second' } });
    block.add([first]);
    expect(block.take().equals(encode(first))).toBe(true);
    block.add([second]);
    const nextBlock = block.take();
    expect(nextBlock.equals(encode(second))).toBe(true);
    expect(nextBlock.includes('first')).toBe(false);
  });

  test('the same headers object gives the same fields in each row', () => {
    const block = new BlockBuilder(EVENT_COLUMNS);
    const first = {
      Accept: 'a',
      'x-note': 'x'.repeat(5000),
      cookie: 'secret',
      'x-\ud800': '\u20ac',
    };
    const second = { accept: 'b' };
    const noFields = {};
    /** Events that fail at a field after their headers, before them, and inside them. */
    const brokenEvents = [
      { headers: second, body: 7 },
      { headers: first, path: 7 },
      { headers: { accept: 7 } },
    ];
    function addBroken(): void {
      for (const fields of brokenEvents) {
        // A caller without types could do this.
        const event = Object.assign(sampleEvent(), fields);
        expect(() => block.add([event])).toThrow();
      }
    }
    const objects = [first, first, second, first, noFields, noFields, second, first];
    for (let round = 0; round < 3; round += 1) {
      for (const headers of objects) {
        block.add([sampleEvent({ headers })]);
        if (round === 1) addBroken();
      }
      expect(headersIn(block.take())).toEqual(
        objects.map((headers) => storedHeader('headers', { headers })),
      );
    }
  });

  test.each([
    ['once', 1],
    ['four times in a row', 4],
  ])(
    'each row keeps its headers when more visitors than the writer remembers come %s',
    (_, requests) => {
      const block = new BlockBuilder(EVENT_COLUMNS.filter(({ name }) => name === 'headers'));
      const visitors = Array.from({ length: 700 }, (_each, at) => ({ 'x-visitor': `${at}` }));
      const rows = [...visitors, ...visitors].flatMap((headers) =>
        Array.from({ length: requests }, () => headers),
      );
      const event = sampleEvent();
      block.add(rows.map((headers) => ({ ...event, headers })));
      expect(headersIn(block.take())).toEqual(rows.map((headers) => Object.entries(headers)));
    },
  );

  test.each([1, 256, 257, 65_536, 65_537])(
    'each row keeps its word when there are %i distinct words, with indexes of one, two or four bytes',
    (distinct) => {
      const block = new BlockBuilder(EVENT_COLUMNS.filter(({ name }) => name === 'rule'));
      const rule = (row: number): string => `rule ${row % distinct}`;
      const rows = distinct + 3;
      const event = sampleEvent();
      for (let row = 0; row < rows; row += 1) block.add([{ ...event, rule: rule(row) }]);
      const rules = decodeBlock(block.take()).map((row) => row.get('rule'));
      expect(rules).toHaveLength(rows);
      expect(rules.every((storedRule, row) => storedRule === rule(row))).toBe(true);
    },
  );

  test('a finished block never has more bytes than the builder reported', () => {
    const block = new BlockBuilder(EVENT_COLUMNS);
    for (const text of ['', 'a', 'x'.repeat(300), '\u20ac'.repeat(5000)]) {
      for (let row = 0; row < 300; row += 1) {
        const words = `${text}${row}`;
        block.add([sampleEvent({ path: words, rule: words, headers: { [`x-${row}`]: text } })]);
      }
      const bytesBefore = block.bytes;
      expect(block.take().length).toBeLessThanOrEqual(bytesBefore + 4096);
    }
    expect(block.bytes).toBe(0);
  });
});
