import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadSettings } from '@guard/config/settings/load';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { SettingsReader } from './read-again.ts';

/**
 * These tests show when settings are read in a separate thread. If the main thread read large settings, requests would
 * wait.
 */

const NETWORKS = Array.from({ length: 2_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`);

function settingsWith(match: string): string {
  const folder = testFolder();
  const file = join(folder, 'guard.yaml');
  writeFileSync(join(folder, 'networks.txt'), NETWORKS.join('\n'));
  writeFileSync(
    file,
    `version: 1
listen: { gateway: 127.0.0.1:0 }
secret: read-again-test-4b3a2c1d0e9f8a7b
organisations:
  - { id: acme, rules: [{ name: all, match: ${match}, detect: true }] }
sites: [{ hosts: ['*.example'], organisation: acme, origin: 'http://127.0.0.1:9' }]
`,
  );
  return file;
}

/** Reads the file again, and counts the threads that do this. `files` are the files that the settings named before. */
async function threadsFor(reader: SettingsReader, files: readonly string[] = []): Promise<number> {
  let threads = 0;
  const count = () => {
    threads += 1;
  };
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  expect((await reader.readAgain(files)).kind).toBe('loaded');
  return threads;
}

/** A reader that has read small settings before. */
function readerOf(match: string, env = {}): SettingsReader {
  return new SettingsReader(settingsWith(match), env);
}

test('small settings are read without a thread', async () => {
  expect(await threadsFor(readerOf('{ path: /a/**, ip: 192.0.2.1 }'))).toBe(0);
});

test.each([
  ['a large list that is new in them', '{ ip: { file: networks.txt } }', {}],
  [
    'a large list in a folder that a variable names',
    "{ ip: { file: '${LISTS}/networks.txt' } }",
    { LISTS: '.' },
  ],
  ['aliases, which can expand to many values', '{ any: [&a { path: /a }, *a] }', {}],
])('small settings with %s are read in a thread', async (_what, match, env) => {
  expect(await threadsFor(readerOf(match, env))).toBe(1);
});

test('a list is read in a thread only when it has changed', async () => {
  const file = settingsWith('{ ip: { file: networks.txt } }');
  const reader = new SettingsReader(file, {});
  const { files } = reader.readFirst();
  expect(await threadsFor(reader, files)).toBe(0);
  writeFileSync(join(dirname(file), 'networks.txt'), NETWORKS.slice(1).join('\n'));
  expect(await threadsFor(reader, files)).toBe(1);
  expect(await threadsFor(reader, files)).toBe(0);
});

test('a mistake in large settings gives the same problem as at the start', async () => {
  const file = settingsWith('{ ip: { file: networks.txt }, pth: /a }');
  const { files } = loadSettings(file, {});
  const again = await new SettingsReader(file, {}).readAgain(files);
  expect(again).toMatchObject({ kind: 'invalid', problems: [{ line: 5 }] });
  expect(again).toEqual(loadSettings(file, {}));
});
