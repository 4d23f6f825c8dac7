import { randomInt } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { parseIp } from './cidr.ts';
import { PrefixSet } from './prefix-set.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function randomBytes(pick: (below: number) => number, length: number): number[] {
  // There are few distinct values, so that prefixes overlap, touch and repeat.
  return Array.from({ length }, () => [0, 1, 2, 127, 128, 254, 255, pick(256)][pick(8)] ?? 0);
}

function textOf(address: Address): string {
  const canonical = parseIp(address.toString());
  if (canonical === undefined) throw new TypeError(address.toString());
  return canonical;
}

/** First and last address of a range, and their neighbours outside the range if they exist. */
function edgesOf(bytes: readonly number[], length: number): Address[] {
  const bits = BigInt(bytes.length * 8);
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const host = bits - BigInt(length);
  const first = (value >> host) << host;
  const last = first + (1n << host) - 1n;
  return [first - 1n, first, last, last + 1n]
    .filter((address) => address >= 0n && address < 1n << bits)
    .map((address) =>
      ipaddr.fromByteArray(
        bytes.map((_, index) => Number((address >> (bits - 8n - 8n * BigInt(index))) & 0xffn)),
      ),
    );
}

describe('a prefix set', () => {
  test('agrees with ipaddr.js on 40,000 addresses over random sets of both families', () => {
    const seed = randomInt(2 ** 31);
    console.log(`prefix-set seed: ${seed}`);
    const pick = seededRandom(seed).below;
    let checkedCount = 0;
    while (checkedCount < 40_000) {
      const ranges: [Address, number][] = [];
      const probes: Address[] = [];
      for (let count = pick(40); count >= 0; count -= 1) {
        const bytes = randomBytes(pick, pick(2) === 0 ? 4 : 16);
        const length =
          [0, bytes.length * 8, pick(bytes.length * 8 + 1), 8, 24][pick(20)] ??
          pick(bytes.length * 8) + 1;
        // ipaddr.js does not treat a v4-mapped range as IPv4. Another test covers these ranges.
        const address = ipaddr.fromByteArray(bytes);
        if (address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress()) continue;
        ranges.push([address, length]);
        probes.push(...edgesOf(bytes, length));
      }
      for (let count = 0; count < 60; count += 1) {
        probes.push(ipaddr.fromByteArray(randomBytes(pick, pick(2) === 0 ? 4 : 16)));
      }
      const set = PrefixSet.from(
        ranges.map(([address, length]) => `${address.toString()}/${length}`),
      );
      for (const probe of probes) {
        if (probe.kind() === 'ipv6' && (probe as ipaddr.IPv6).isIPv4MappedAddress()) continue;
        const expected = ranges.some(
          ([address, length]) => address.kind() === probe.kind() && probe.match(address, length),
        );
        const place = `${textOf(probe)} in ${ranges.map(([a, l]) => `${a.toString()}/${l}`).join(' ')}`;
        if (set.has(textOf(probe)) !== expected)
          expect.fail(`seed ${seed}: expected ${expected}: ${place}`);
        checkedCount += 1;
      }
    }
  });

  test('gives the same results with an index and without it', () => {
    const seed = randomInt(2 ** 31);
    console.log(`prefix-set index seed: ${seed}`);
    const pick = seededRandom(seed).below;
    const cidrs = Array.from(
      { length: 12_000 },
      () => `${pick(256)}.${pick(256)}.${pick(256)}.${pick(256)}/${16 + pick(17)}`,
    );
    const indexedSet = PrefixSet.from(cidrs);
    expect(indexedSet.size).toBeGreaterThan(4096);
    const smallSets = Array.from({ length: 12 }, (_, at) =>
      PrefixSet.from(cidrs.slice(at * 1000, at * 1000 + 1000)),
    );
    for (let probe = 0; probe < 20_000; probe += 1) {
      const base = cidrs[pick(cidrs.length)]?.split('/')[0] ?? '';
      const ip =
        pick(2) === 0
          ? `${pick(256)}.${pick(256)}.${pick(256)}.${pick(256)}`
          : base.replace(/\d+$/, String(pick(256)));
      const expected = smallSets.some((set) => set.has(ip));
      if (indexedSet.has(ip) !== expected) expect.fail(`seed ${seed}: ${ip}`);
    }
  });

  test('merges ranges that touch or overlap', () => {
    expect(
      PrefixSet.from(['10.0.0.0/25', '10.0.0.128/25', '10.0.0.64/26', '10.0.1.0/24']).size,
    ).toBe(1);
    expect(PrefixSet.from(['10.0.0.0/24', '10.0.2.0/24']).size).toBe(2);
    expect(PrefixSet.from(['2001:db8::/33', '2001:db8:8000::/33']).size).toBe(1);
    expect(PrefixSet.from([]).size).toBe(0);
    expect(PrefixSet.from([]).has('10.0.0.1')).toBe(false);
  });

  test('contains every address of a family for /0, and no address of the other family', () => {
    const v4 = PrefixSet.from(['0.0.0.0/0']);
    expect([v4.has('0.0.0.0'), v4.has('255.255.255.255'), v4.has('::')]).toEqual([
      true,
      true,
      false,
    ]);
    const v6 = PrefixSet.from(['::/0']);
    expect([v6.has('::'), v6.has('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')]).toEqual([true, true]);
    expect(v6.has('127.0.0.1')).toBe(false);
  });

  test('contains one address for /32, /128 and an address without a prefix length', () => {
    const set = PrefixSet.from(['192.0.2.7/32', '2001:db8::7/128', '198.51.100.1', '2001:db8::9']);
    for (const ip of ['192.0.2.7', '2001:db8::7', '198.51.100.1', '2001:db8::9']) {
      expect(set.has(ip)).toBe(true);
    }
    for (const ip of ['192.0.2.6', '192.0.2.8', '2001:db8::6', '2001:db8::8', '198.51.100.2']) {
      expect(set.has(ip)).toBe(false);
    }
  });

  test('treats v4-mapped addresses and ranges as IPv4 (RFC 4291 section 2.5.5.2)', () => {
    const set = PrefixSet.from(['::ffff:192.0.2.0/120', '203.0.113.0/24']);
    expect(set.has('192.0.2.200')).toBe(true);
    expect(set.has('::ffff:203.0.113.9')).toBe(true);
    expect(set.has('::ffff:cb00:7109')).toBe(true);
    expect(set.has('::ffff:198.51.100.1')).toBe(false);
  });

  test('ignores host bits', () => {
    expect(PrefixSet.from(['192.0.2.77/24']).has('192.0.2.1')).toBe(true);
    expect(PrefixSet.from(['2001:db8::77/64']).has('2001:db8::1')).toBe(true);
  });

  test('has only addresses as members, and refuses text that is not a range', () => {
    const set = PrefixSet.from(['0.0.0.0/0', '::/0']);
    for (const ip of [
      '',
      '1.2.3',
      '1.2.3.4.5',
      '256.1.1.1',
      '01.2.3.4',
      '1.2.3.4 ',
      ':',
      ':::',
      '1::2::3',
      'x',
    ]) {
      expect(set.has(ip), ip).toBe(false);
    }
    for (const cidr of [
      '',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/',
      '10.0.0.0/-1',
      '10.0.0.0/8/8',
      'a/8',
    ]) {
      expect(() => PrefixSet.from([cidr]), cidr).toThrow(TypeError);
    }
  });
});
