import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { poll, send } from '../../../test/kit/http.ts';

/** Commands that cannot write their output. They run as processes, with real pipes and a device that is really full. */

const BIN = join(import.meta.dirname, '../../../bin/guard.mjs');
const guard = `${JSON.stringify(process.execPath)} ${JSON.stringify(BIN)}`;
const folder = testFolder();
const file = join(folder, 'guard.yaml');
writeFileSync(
  file,
  `version: 1
listen: { gateway: 127.0.0.1:0, admin: 127.0.0.1:0 }
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
organisations: [{ id: acme, rules: [{ name: everybody, match: {}, detect: true }] }]
sites: [{ hosts: ['*'], organisation: acme, origin: 'http://127.0.0.1:3000' }]
`,
);

/** A shell command that prints the exit code of its first program. */
function sh(line: string) {
  const script = `${line}; echo "code \${PIPESTATUS[0]}" >&2`;
  return spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: folder });
}

describe('when the reader closes the pipe', () => {
  test.each([
    'check guard.yaml',
    'explain -c guard.yaml http://a.example/ --ip 84.115.20.7 --json',
    'crawlers list',
  ])('guard %s ends with 0 and no stack trace', (args) => {
    expect(sh(`${guard} ${args} | true`).stderr).toBe('code 0\n');
  });

  test('guard top ends', () => {
    const { stdout, stderr } = sh(
      `${guard} top --admin http://127.0.0.1:9 --interval 0.2 | head -1`,
    );
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:9: .+\n$/);
    expect(stderr).toBe('code 0\n');
  });
});

test('when the disk is full, a command prints a message and ends with exit code 1', () => {
  expect(sh(`${guard} check guard.yaml > /dev/full`).stderr).toMatch(
    /^guard: the output cannot be written: ENOSPC\b.*\ncode 1\n$/,
  );
});

describe('guard start continues', () => {
  async function start(stderr: 'pipe' | number) {
    const child = spawn(process.execPath, [BIN, 'start', '--config', file, '--json'], {
      stdio: ['ignore', 'pipe', stderr],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    // The cast is safe: with the options above, the output is a pipe.
    const output = child.stdout as NonNullable<typeof child.stdout>;
    const [line] = (await once(createInterface(output), 'line')) as [string];
    const { addresses } = JSON.parse(line) as { addresses: Record<'gateway' | 'admin', string> };
    return { child, addresses };
  }

  async function servesAndCounts({ child, addresses }: Awaited<ReturnType<typeof start>>) {
    // Each reload writes a line to the log.
    child.kill('SIGHUP');
    const page = await poll(
      () => send(`${addresses.admin}/metrics`),
      ({ body }) => /^guard_log_lines_lost_total [1-9]/m.test(body),
    );
    expect(page.status).toBe(200);
    expect((await send(`${addresses.gateway}/`)).status).toBe(403);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(0);
  }

  test('when the disk of its log is full, and counts the lost lines', async () => {
    await servesAndCounts(await start(openSync('/dev/full', 'w')));
  });

  test('when the reader of its log has ended, and counts the lost lines', async () => {
    const output = await start('pipe');
    output.child.stderr?.destroy();
    await servesAndCounts(output);
  });
});
