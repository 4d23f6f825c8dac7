import { describe, expect, test } from 'vitest';
import {
  canonicalNetwork,
  readDecisions,
  type TemporaryDecision,
  writeDecisions,
} from './temporary-decision.ts';

const GOOD = {
  ...{ id: 't000001', organisation: 'acme', verdict: 'block' },
  ...{ target: { kind: 'network', network: '203.0.113.7' }, because: 'x', by: 'a@b' },
  ...{ madeAt: 0, until: 1 },
};

const listOf = (...decisions: unknown[]): string => JSON.stringify({ version: 1, decisions });

describe('a list of decisions that another program wrote', () => {
  test('is accepted when it is valid', () => {
    const result = readDecisions(listOf(GOOD));
    expect(result).toEqual([GOOD]);
    expect(readDecisions(writeDecisions(result ?? []))).toEqual(result);
  });

  test.each([
    ['an end that is not a date', { until: 9_000_000_000_000_000 }],
    ['an organisation with a control sequence for terminals', { organisation: 'a\u001b[2J' }],
    ['an id with a control sequence for terminals', { id: 't\u001b[2J00' }],
    ['a reason with a line break', { because: 'a\nb' }],
    ['a malformed network', { target: { kind: 'network', network: '203.0.113.0/33' } }],
    ['a network that is too wide', { target: { kind: 'network', network: '0.0.0.0/0' } }],
    ['an IPv6 network that is too wide', { target: { kind: 'network', network: '2000::/3' } }],
    ['an unknown field', { more: 1 }],
  ])('%s: the whole list is refused', (_, overrides) => {
    expect(readDecisions(listOf(GOOD, { ...GOOD, ...overrides }))).toBeUndefined();
  });

  test('the largest number of decisions, with the longest texts that guard block accepts, can be written and read again', () => {
    const longest: TemporaryDecision = {
      ...{ id: 't000001', organisation: 'a'.repeat(63), verdict: 'allow' },
      ...{ target: { kind: 'network', network: '2001:db8:1111:2222:3333:4444:5555:6666' } },
      ...{ because: '\u{1f600}'.repeat(200), by: '"'.repeat(200) },
      ...{ madeAt: 1_800_000_000_000, until: 1_800_000_000_000 },
    };
    const text = writeDecisions(Array.from({ length: 2_000 }, () => longest));
    expect(readDecisions(text)).toHaveLength(2_000);
  });

  test('more decisions than the limit, and text that is not JSON, are refused', () => {
    expect(readDecisions(listOf(...Array.from({ length: 2_001 }, () => GOOD)))).toBeUndefined();
    expect(readDecisions('{')).toBeUndefined();
  });
});

test.each([
  ['203.0.113.77/24', '203.0.113.0/24'],
  ['203.0.113.77/32', '203.0.113.77'],
  ['::ffff:203.0.113.77', '203.0.113.77'],
  ['::ffff:203.0.113.77/120', '203.0.113.0/24'],
  ['::ffff:203.0.113.77/64', '::/64'],
  ['2001:DB8::5/64', '2001:db8::/64'],
  ['2001:db8::5/128', '2001:db8::5'],
  ['fe80::1%eth0', 'fe80::1'],
  ['fe80::1%eth0/64', 'fe80::/64'],
])('the network %s is written as %s', (writtenNetwork, canonical) => {
  expect(canonicalNetwork(writtenNetwork)).toBe(canonical);
});
