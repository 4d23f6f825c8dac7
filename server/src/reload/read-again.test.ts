import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { readAgain } from './read-again.ts';

/** Whether settings are read in a thread of their own. Requests would wait for large ones. */

const NETWORKS = Array.from({ length: 2_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`);

function settingsWith(match: string, top = ''): string {
  const folder = testFolder();
  const file = join(folder, 'guard.yaml');
  writeFileSync(join(folder, 'networks.txt'), NETWORKS.join('\n'));
  writeFileSync(
    file,
    `version: 1
listen: { gateway: 127.0.0.1:0 }
secret: read-again-test-4b3a2c1d0e9f8a7b
${top}
organisations:
  - { id: acme, rules: [{ name: all, match: ${match}, detect: true }] }
sites: [{ hosts: ['*.example'], organisation: acme, origin: 'http://127.0.0.1:9' }]
`,
  );
  return file;
}

/** Reads the file for the first time, and counts the threads that this takes. */
async function threadsFor(file: string, env = {}): Promise<number> {
  let threads = 0;
  const count = () => {
    threads += 1;
  };
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  expect((await readAgain(file, env, [])).kind).toBe('loaded');
  return threads;
}

test('small settings need no thread', async () => {
  expect(await threadsFor(settingsWith('{ path: /a/**, ip: 192.0.2.1 }'))).toBe(0);
});

test.each([
  ['a large list that they did not name before', '{ ip: { file: networks.txt } }', {}],
  ['one that a variable names', "{ ip: { file: '${LISTS}/networks.txt' } }", { LISTS: '.' }],
  ['aliases, which can write out to many values', '{ any: [&a { path: /a }, *a] }', {}],
])('small settings with %s are read in a thread', async (_what, match, env) => {
  expect(await threadsFor(settingsWith(match), env)).toBe(1);
});
