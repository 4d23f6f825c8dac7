import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { mmdbOf } from '@guard/config/catalogue/testing/mmdb';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { refusalOfDatabase } from './plausible-database.ts';

const fileInUse = join(testFolder(), 'in-use.mmdb');
const countries = (entries: Readonly<Record<string, string>>) =>
  mmdbOf(
    Object.entries(entries).map(([prefix, country_code]) => ({ prefix, record: { country_code } })),
  );
writeFileSync(fileInUse, countries({ '00': 'DE', '01': 'FR', '10': 'IT', '11': 'ES' }));

const refusalOf = (entries: Readonly<Record<string, string>>, isFromSameUrl = true) =>
  refusalOfDatabase('country', countries(entries), {
    fileInUse,
    isFromSameUrl: isFromSameUrl,
  });

test('a database that has other values for a quarter of the addresses is accepted', async () => {
  expect(await refusalOf({ '00': 'DE', '01': 'FR', '10': 'IT', '11': 'PT' })).toBeUndefined();
});

test('a database that lost half of its addresses is refused; a database of another publisher is refused when it lost three quarters', async () => {
  expect(await refusalOf({ '00': 'DE' })).toMatch(/less than half/);
  expect(await refusalOf({ '00': 'DE' }, false)).toBeUndefined();
  expect(await refusalOf({ '00001': 'DE' }, false)).toMatch(/less than a quarter/);
  expect(await refusalOf({})).toBe('it has no value for any tested address');
});

test('a database with one country for most addresses is refused', async () => {
  expect(await refusalOf({ '0': 'CN', '1': 'CN' })).toMatch(/have other values: more than half/);
});

test('a file that is not a database of this kind is refused', async () => {
  const terms = { fileInUse, isFromSameUrl: true };
  expect(await refusalOfDatabase('country', Buffer.from('<html>'), terms)).toBe(
    'not a country database: the fetched file',
  );
  const systems = mmdbOf([{ prefix: '0', record: { asn: 64_500 } }]);
  expect(await refusalOfDatabase('country', systems, terms)).toMatch(/contains other data/);
});
