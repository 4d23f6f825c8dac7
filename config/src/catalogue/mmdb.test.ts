import { expect, test } from 'vitest';
import { openMmdb } from './mmdb.ts';
import { mmdbOf } from './testing/mmdb.ts';

const bits = (...numbers: readonly number[]) =>
  numbers.map((number) => number.toString(2).padStart(8, '0')).join('');
const country = (code: string) => ({ country_code: code });
const open = (mmdb: Buffer) =>
  openMmdb(
    mmdb,
    'country database',
    (record: { readonly country_code?: unknown }) => record.country_code,
  );

test('an address with a record of its own gives nothing to its neighbours, and a damaged one takes nothing from them', () => {
  const mmdb = mmdbOf([
    { prefix: bits(10, 0, 0, 1), record: country('DE') },
    { prefix: bits(10, 0, 0, 2), record: country('FR') },
    { prefix: bits(10, 0, 0, 3), record: country('XX') },
  ]);
  // There is no such type of field.
  mmdb[mmdb.indexOf('XX') - 1] = 0;
  mmdb[mmdb.indexOf('XX')] = 99;
  const countryOf = open(mmdb);
  const inTurn = [3, 1, 2, 4, 3, 1, 2, 4].map((last) => countryOf(`10.0.0.${last}`));
  expect(inTurn.slice(0, 4)).toEqual([undefined, 'DE', 'FR', undefined]);
  expect(inTurn.slice(4)).toEqual(inTurn.slice(0, 4));
});

/** A list of 16 million lists of 16 million entries, and so on: five bytes each, and 128 MB for the library. */
const LISTS = Buffer.concat(
  Array.from({ length: 100 }, () => Buffer.from([0x1f, 4, 255, 255, 255])),
);

test('a record that stands for far more than its bytes counts as none, and a file that says so of itself is no database', () => {
  const mmdb = mmdbOf([{ prefix: '0', record: country('DE') }]);
  const record = mmdb.indexOf('country_code') - 2;
  const bomb = Buffer.concat([mmdb.subarray(0, record), LISTS, mmdb.subarray(record)]);
  expect(open(bomb)('10.0.0.1')).toBeUndefined();
  const about = mmdb.indexOf('MaxMind.com') + 'MaxMind.com'.length;
  const other = Buffer.concat([mmdb.subarray(0, about), LISTS]);
  expect(() => open(other)).toThrow('not a country database');
});
