import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { openMmdb } from './mmdb.ts';
import { mmdbOf } from './testing/mmdb.ts';

const bits = (...numbers: readonly number[]) =>
  numbers.map((number) => number.toString(2).padStart(8, '0')).join('');
const country = (code: string) => ({ country_code: code });
const openCountryDatabase = (mmdb: Buffer) =>
  openMmdb(
    mmdb,
    'country database',
    (record: { readonly country_code?: unknown }) => record.country_code,
  );

test('neighbours of an address do not get its record, and a damaged record does not affect them', () => {
  const mmdb = mmdbOf([
    { prefix: bits(10, 0, 0, 1), record: country('DE') },
    { prefix: bits(10, 0, 0, 2), record: country('FR') },
    { prefix: bits(10, 0, 0, 3), record: country('XX') },
  ]);
  // No field has this type.
  mmdb[mmdb.indexOf('XX') - 1] = 0;
  mmdb[mmdb.indexOf('XX')] = 99;
  const countryOf = openCountryDatabase(mmdb);
  const countriesInTurn = [3, 1, 2, 4, 3, 1, 2, 4].map((last) => countryOf(`10.0.0.${last}`));
  expect(countriesInTurn.slice(0, 4)).toEqual([undefined, 'DE', 'FR', undefined]);
  expect(countriesInTurn.slice(4)).toEqual(countriesInTurn.slice(0, 4));
});

/** A list of 16 million lists of 16 million entries, and so on: five bytes each, and 128 MB for the library. */
const LISTS = Buffer.concat(
  Array.from({ length: 100 }, () => Buffer.from([0x1f, 4, 255, 255, 255])),
);

test('a record that expands to far more than its bytes is treated as missing, and a file with such metadata is refused', () => {
  const mmdb = mmdbOf([{ prefix: '0', record: country('DE') }]);
  const record = mmdb.indexOf('country_code') - 2;
  const bomb = Buffer.concat([mmdb.subarray(0, record), LISTS, mmdb.subarray(record)]);
  expect(openCountryDatabase(bomb)('10.0.0.1')).toBeUndefined();
  const metadataStart = mmdb.indexOf('MaxMind.com') + 'MaxMind.com'.length;
  const fileWithLargeMetadata = Buffer.concat([mmdb.subarray(0, metadataStart), LISTS]);
  expect(() => openCountryDatabase(fileWithLargeMetadata)).toThrow('not a country database');
});

test('the cache of decoded records is bounded, also when single records are large', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heapMiB = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  // 28 fields of 280 letters, 2,000 times: 16 MB of text.
  const fields = Object.fromEntries(
    Array.from({ length: 27 }, (_, at) => [`f${at}`, 'x'.repeat(280)]),
  );
  const networks = Array.from({ length: 2_000 }, (_, at) => bits(10, at >> 8, at & 255));
  const countryOf = openCountryDatabase(
    mmdbOf(networks.map((prefix) => ({ prefix, record: { ...country('DE'), ...fields } }))),
  );
  const before = heapMiB();
  for (let at = 0; at < networks.length; at += 1) {
    expect(countryOf(`10.${at >> 8}.${at & 255}.1`)).toBe('DE');
  }
  expect(heapMiB() - before).toBeLessThan(10);
  // Records that left the cache are still found.
  expect(countryOf('10.0.0.9')).toBe('DE');
});
