import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { keepFile } from './keep-file.ts';

test('two that write one file at once both succeed, and it is whole: programs in containers have one process id', async () => {
  const folder = testFolder();
  const path = join(folder, 'copy');
  const contents = ['a', 'b'].map((letter) => Buffer.alloc(2 ** 20, letter));
  const reasons = await Promise.all(contents.map((content) => keepFile(path, content)));
  expect(reasons).toEqual([undefined, undefined]);
  expect(contents.some((content) => content.equals(readFileSync(path)))).toBe(true);
  expect(readdirSync(folder)).toEqual(['copy']);
});
