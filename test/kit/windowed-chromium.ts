import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Keeps the browser from calling home, which a closed network would make it do for minutes. */
const QUIET = [
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-default-browser-check',
];

/**
 * A person's browser: Chromium with a window on a virtual screen, no driver attached, opened on a
 * URL. What it does is seen by the servers it talks to. `flags` are added to its command line.
 */
export async function openInWindow(
  url: string,
  flags: readonly string[] = [],
): Promise<{ close(): Promise<void> }> {
  const profile = await mkdtemp(join(tmpdir(), 'guard-chromium-'));
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(
    'xvfb-run',
    ['-a', 'chromium', ...QUIET, ...sandbox, ...flags, `--user-data-dir=${profile}`, url],
    // A group of its own, so that the screen and the browser end together.
    { stdio: 'ignore', detached: true },
  );
  const exited = once(child, 'exit');
  return {
    async close() {
      if (child.exitCode === null && child.pid !== undefined) {
        process.kill(-child.pid, 'SIGTERM');
        await exited;
      }
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
