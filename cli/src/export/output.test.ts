import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';

/** A process that runs this code with the functions of output.ts. */
function run(program: string) {
  const module = JSON.stringify(new URL('./output.ts', import.meta.url).href);
  const code = `const { openFile, standardOutput } = await import(${module});${program}`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' });
}

/** Writes 40 pages to its standard output, and then reports the result. */
function writer() {
  return run(`
    process.stdout.on('error', () => undefined);
    const output = standardOutput();
    try {
      for (let page = 0; page < 40; page += 1) await output.write(Buffer.alloc(256 * 1024, 'a'));
    } catch (error) {
      console.error(error.message);
    }`);
}

test('an export to standard output waits for its reader, without a warning', async () => {
  const child = writer();
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  expect(stdout).toHaveLength(40 * 256 * 1024);
  expect(stderr).toBe('');
});

test('a reader that closes the pipe early ends an export with a message', async () => {
  const child = writer();
  await once(child.stdout, 'readable');
  child.stdout.destroy();
  expect(await readAll(child.stderr)).toBe('the reader of the output has left\n');
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends an export with exit code %d, and leaves no file', async (signal, code) => {
  const folder = testFolder();
  const file = JSON.stringify(join(folder, 'week.csv'));
  const child = run(`
    const output = await openFile(${file}, false);
    await output.write(Buffer.from('a part'));
    setInterval(() => undefined, 1000);
    console.log('written');`);
  await once(child.stdout, 'data');
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^week\.csv\.[0-9a-f]{12}\.part$/)]);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([code, null]);
  expect(readdirSync(folder)).toEqual([]);
});
