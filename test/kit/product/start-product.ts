import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Service } from '@guard/config/settings/schema';
import { stringify } from 'yaml';

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'guard.mjs');

/** Guard as users run it: a process that the command `guard start` starts with a settings file. */
export interface Product {
  readonly addresses: Readonly<Record<Service, string>>;
  readonly pid: number;
  /** Links for the sign-in to the dashboard, in the order of the organisations. */
  readonly dashboardLinks: readonly string[];
  /** The folder of the settings file guard.yaml. Relative paths start there. */
  readonly folder: string;
  /** The stderr of the process so far. */
  log(): string;
  /** Sends SIGTERM, and resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Runs `guard start --config` with these settings, in a new folder. */
export async function startProduct(
  settings: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Product> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-test-'));
  const file = join(folder, 'guard.yaml');
  await writeFile(file, stringify(settings));
  const child = spawn(process.execPath, [BIN, 'start', '--config', file, '--json'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  const exit = once(child, 'exit');
  const first = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exit.then(() => undefined),
  ]);
  if (!first) throw new Error(`guard did not start: ${log}`);
  const { addresses, dashboard = [] } = JSON.parse(String(first[0])) as {
    addresses: Record<Service, string>;
    dashboard?: { url: string }[];
  };
  return {
    addresses,
    dashboardLinks: dashboard.map(({ url }) => url),
    pid: child.pid ?? 0,
    folder,
    log: () => log,
    async stop() {
      child.kill('SIGTERM');
      await exit;
      await rm(folder, { recursive: true, force: true });
      return child.exitCode;
    },
  };
}
