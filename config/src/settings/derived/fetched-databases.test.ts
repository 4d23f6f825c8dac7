import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/kit/test-folder.ts';
import { BUNDLED_ASNS_AT } from '../../catalogue/data-age.ts';
import { mmdbOf } from '../../catalogue/testing/mmdb.ts';
import { databaseFilesOf, fetchedDatabasesOf } from './fetched-databases.ts';
import { parseSettings } from '../load.ts';
import type { Settings } from '../schema.ts';

const folder = testFolder();
const STORE = 'store: { engine: memory, path: ./store }';

function load(...top: readonly string[]): { settings: Settings; files: readonly string[] } {
  const text = `version: 1
listen: { admin: 127.0.0.1:1 }
secret: b8d2046a7f3c1e95b8d2047a7f3c1e95
${top.join('\n')}
`;
  const result = parseSettings(text, { file: 'guard.yaml', baseDir: folder, env: {} });
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result;
}

const intervals = (...top: readonly string[]) =>
  fetchedDatabasesOf(load(...top).settings).map(({ every }) => every);

test('both databases are fetched once a week when Guard has a folder, and never when the fetch of crawlers is off', () => {
  expect(intervals()).toEqual([]);
  expect(intervals(STORE)).toEqual([604_800_000, 604_800_000]);
  expect(intervals(STORE, 'databases: { refresh: 12h }')).toEqual([43_200_000, 43_200_000]);
  expect(intervals(STORE, 'databases: { refresh: off }')).toEqual(['off', 'off']);
  expect(intervals(STORE, 'crawlers: { refresh: off }')).toEqual(['off', 'off']);
  expect(intervals(STORE, 'crawlers: { refresh: off }', 'databases: { refresh: 1d }')).toEqual([
    86_400_000, 86_400_000,
  ]);
});

test('the copies are files of the settings, so a new copy causes a reload', () => {
  const { settings, files } = load(STORE);
  for (const { copyPath } of fetchedDatabasesOf(settings)) expect(files).toContain(copyPath);
});

test('without a setting, Guard uses the copy or the bundled database, whichever is newer; a damaged copy is treated as missing', () => {
  const { settings } = load(STORE);
  const asn = fetchedDatabasesOf(settings).find(({ kind }) => kind === 'asn');
  const copyPath = asn?.copyPath ?? '';
  mkdirSync(dirname(copyPath), { recursive: true });
  const databaseBuiltAt = (at: number) => mmdbOf([], { build_epoch: at / 1000 });
  writeFileSync(copyPath, databaseBuiltAt(BUNDLED_ASNS_AT + 86_400_000));
  expect(databaseFilesOf(settings)).toEqual({ asn: copyPath });
  writeFileSync(copyPath, databaseBuiltAt(BUNDLED_ASNS_AT - 86_400_000));
  expect(databaseFilesOf(settings)).toEqual({});
  writeFileSync(copyPath, 'no database');
  expect(databaseFilesOf(settings)).toEqual({});
});
