import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { mmdbOf } from '@guard/config/catalogue/testing/mmdb';
import {
  databaseCopyOf,
  type FetchedDatabase,
} from '@guard/config/settings/derived/fetched-databases';
import { formatCopy } from '@guard/config/settings/lists/list-copy';
import { expect, test } from 'vitest';
import { serve } from '../../../test/kit/serve.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { originIn, refreshDatabase } from './refresh-database.ts';

/** A publisher that answers 304 to a request with its etag, and a database that is fetched from this publisher. */
async function publish(bytes: Buffer): Promise<FetchedDatabase> {
  const url = await serve((request, response) => {
    if (request.headers['if-none-match'] === '"7"') response.writeHead(304).end();
    else response.setHeader('etag', '"7"').end(bytes);
  });
  const copyPath = databaseCopyOf(testFolder(), 'country', url);
  return { kind: 'country', url, every: 1000, copyPath, isNamed: true };
}

const DATABASE = mmdbOf(
  Array.from({ length: 256 }, (_, firstByte) => ({
    prefix: firstByte.toString(2).padStart(8, '0'),
    record: { country_code: 'DE' },
  })),
);

test('a damaged copy is treated as missing, so the database is fetched although the publisher has no newer version', async () => {
  const database = await publish(DATABASE);
  mkdirSync(dirname(database.copyPath), { recursive: true });
  writeFileSync(database.copyPath, DATABASE.subarray(0, 1000));
  const origin = { url: database.url, fetched_at: '2026-01-01T00:00:00Z', etag: '"7"' };
  writeFileSync(`${database.copyPath}.origin`, formatCopy(origin, ''));
  const inUse = `${database.copyPath}.in-use`;
  writeFileSync(inUse, DATABASE);
  expect(originIn(database)).toBeUndefined();
  const first = await refreshDatabase(database, inUse, Date.now);
  expect(first).toEqual({ kind: 'current', what: { bytes: DATABASE.length } });
  expect(await refreshDatabase(database, inUse, Date.now)).toEqual({ kind: 'current' });
});
