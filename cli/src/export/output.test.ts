import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** A process that writes 40 pages to its standard output, and then tells how it went. */
function writer() {
  const module = JSON.stringify(new URL('./output.ts', import.meta.url).href);
  const program = `
    const { standardOutput } = await import(${module});
    process.stdout.on('error', () => undefined);
    const output = standardOutput();
    try {
      for (let page = 0; page < 40; page += 1) await output.write(Buffer.alloc(256 * 1024, 'a'));
    } catch (error) {
      console.error(error.message);
    }`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' });
}

test('many pages go to standard output as fast as its reader takes them, without a warning', async () => {
  const child = writer();
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  expect(stdout).toHaveLength(40 * 256 * 1024);
  expect(stderr).toBe('');
});

test('a reader that leaves early ends an export with a sentence', async () => {
  const child = writer();
  await once(child.stdout, 'readable');
  child.stdout.destroy();
  expect(await readAll(child.stderr)).toBe('the reader of the output has left\n');
});
