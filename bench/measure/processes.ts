import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { connects } from '../../test/kit/connects.ts';

/** With two cores, the target alone has one core, and the load and the origin share the other core. */
const pinnedCommand =
  availableParallelism() >= 2 && spawnSync('taskset', ['--version']).status === 0
    ? ['taskset', '-c']
    : [];

/** The placement of the processes on the cores, for the notes of a report. */
export const placement =
  pinnedCommand.length > 0
    ? 'the target on one core, load and origin on the other'
    : 'nothing pinned';

/** `both`: the scheduler chooses the core. */
export type Core = 0 | 1 | 'both';

export interface Running {
  readonly pid: number;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface StartedScript extends Running {
  /** The first line that the process printed. */
  readonly line: string;
}

/** Pins this process to one core: all of its threads, and the processes that it starts from now on. */
export function pinToCore(core: Core): void {
  if (pinnedCommand.length === 0) return;
  spawnSync('taskset', ['-a', '-c', '-p', cpuList(core), String(process.pid)]);
}

/**
 * Starts a script of the bench, or the command `guard`, on one core and waits for its first line. Its stderr goes to
 * `logFile`, or to the stderr of this process.
 */
export async function startScriptOn(
  core: Core,
  script: string,
  args: readonly string[],
  logFile?: string,
): Promise<StartedScript> {
  const run = script.endsWith('.ts') ? [process.execPath, script] : [script];
  const child = spawnOn(core, [...run, ...args], logFile);
  const lines = child.stdout ? createInterface(child.stdout) : undefined;
  if (lines === undefined) throw new Error(`${script} was started without its output`);
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(neverReady(script, logFile))),
  ])) as [string]; // readline gives every line as a string
  return { ...running(child), line };
}

/** Starts another program on one core, and waits until it accepts connections at `port`. */
export async function startProgramOn(
  core: Core,
  command: readonly string[],
  port: number,
  logFile: string,
): Promise<Running> {
  const child = spawnOn(core, command, logFile);
  if (await connects(port, () => child.exitCode === null)) return running(child);
  await stop(child, 'SIGTERM');
  throw neverReady(command[0] ?? '', logFile);
}

function spawnOn(core: Core, command: readonly string[], logFile?: string): ChildProcess {
  const [program = '', ...rest] =
    pinnedCommand.length > 0 ? [...pinnedCommand, cpuList(core), ...command] : command;
  const log = logFile === undefined ? undefined : openSync(logFile, 'a');
  try {
    return spawn(program, rest, { stdio: ['ignore', 'pipe', log ?? 'inherit'] });
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

function cpuList(core: Core): string {
  return core === 'both' ? '0,1' : String(core);
}

function running(child: ChildProcess): Running {
  child.stdout?.resume();
  return { pid: child.pid ?? 0, stop: (signal = 'SIGTERM') => stop(child, signal) };
}

function neverReady(program: string, logFile: string | undefined): Error {
  const log = logFile === undefined ? '' : `: ${readFileSync(logFile, 'utf8').slice(-2000)}`;
  return new Error(`${program} ended before it was ready${log}`);
}

async function stop(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const childExit = once(child, 'exit');
  child.kill(signal);
  await childExit;
}
