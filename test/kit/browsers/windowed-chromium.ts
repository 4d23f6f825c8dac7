import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM_FLAGS } from './chromium-flags.ts';

/**
 * A person's browser: Chromium with a window on a virtual screen and without a driver, opened with a URL. Tests see the
 * requests of the browser at their servers. `flags` are added to its command line.
 */
export async function openInWindow(
  url: string,
  flags: readonly string[] = [],
): Promise<{ close(): Promise<void> }> {
  const profile = await mkdtemp(join(tmpdir(), 'guard-chromium-'));
  const child = spawn(
    'xvfb-run',
    [
      '-a',
      'chromium',
      ...CHROMIUM_FLAGS,
      '--disable-quic',
      ...flags,
      `--user-data-dir=${profile}`,
      url,
    ],
    // The programs are one process group, so that the screen and the browser end together.
    { stdio: 'ignore', detached: true },
  );
  const exit = once(child, 'exit');
  return {
    async close() {
      if (child.exitCode === null && child.pid !== undefined) {
        process.kill(-child.pid, 'SIGTERM');
        await exit;
      }
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
