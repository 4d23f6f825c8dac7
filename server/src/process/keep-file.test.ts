import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { keepFile } from './keep-file.ts';

test('two writes at the same time both succeed, and the file is complete', async () => {
  const folder = testFolder();
  const path = join(folder, 'copy');
  const contents = ['a', 'b'].map((letter) => Buffer.alloc(2 ** 20, letter));
  const reasons = await Promise.all(contents.map((content) => keepFile(path, content)));
  expect(reasons).toEqual([undefined, undefined]);
  expect(contents.some((content) => content.equals(readFileSync(path)))).toBe(true);
  expect(readdirSync(folder)).toEqual(['copy']);
});

test('an unfinished file that is an hour old is removed, but a newer one is not, because another process can still be writing it', async () => {
  const folder = testFolder();
  const hourAgo = Date.now() / 1000 - 3_700;
  for (const name of ['lost.0123456789ab.tmp', 'own.tmp', 'copy.json']) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), hourAgo, hourAgo);
  }
  writeFileSync(join(folder, 'new.0123456789ab.tmp'), '');
  expect(await keepFile(join(folder, 'copy'), 'text')).toBeUndefined();
  expect(readdirSync(folder).toSorted()).toEqual([
    'copy',
    'copy.json',
    'new.0123456789ab.tmp',
    'own.tmp',
  ]);
});
