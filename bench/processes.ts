import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const CORES = spawnSync('nproc', { encoding: 'utf8' }).stdout.trim();
/** With two cores, the target has one to itself, and the load and the origin share the other. */
const pinned =
  Number(CORES) >= 2 && spawnSync('taskset', ['--version']).status === 0 ? ['taskset', '-c'] : [];

/** How the machine's cores were given out, for the notes of a report. */
export const placement =
  pinned.length > 0 ? 'the target on one core, load and origin on the other' : 'nothing pinned';

export interface Started {
  readonly pid: number;
  /** The first line it printed. */
  readonly line: string;
  stop(): Promise<void>;
}

/** Starts a program of the bench on one core and waits for its first line. */
export async function startOn(
  core: 0 | 1,
  script: string,
  args: readonly string[],
): Promise<Started> {
  const command = [process.execPath, script, ...args];
  const [program = '', ...rest] =
    pinned.length > 0 ? [...pinned, String(core), ...command] : command;
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() =>
      Promise.reject(new Error(`${script} ended before it was ready`)),
    ),
  ])) as [string];
  return { pid: child.pid ?? 0, line, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
