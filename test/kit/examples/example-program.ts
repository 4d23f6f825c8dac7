import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  /** Waits until `pattern` matches the stdout of the program, and returns the match. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** The stdout of the program so far. */
  output(): string;
  /** Sends a signal to the program, and resolves when the program and all its children have ended. */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<ProgramEnd>;
  /** Resolves when the program has ended by itself. */
  ended(): Promise<ProgramEnd>;
}

/** Starts a program of examples/ in the root of the repository, as the README of the example says. */
export function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningProgram {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PYTHONDONTWRITEBYTECODE: '1', // so that tests write no files into the repository
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
  const closeEvent = once(child, 'close');
  const waitForEnd = async () => {
    await closeEvent;
    return { code: child.exitCode, stdout, stderr };
  };
  return {
    async says(pattern) {
      for (;;) {
        const match = pattern.exec(stdout);
        if (match) return match;
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${stderr}`);
        await Promise.race([once(child.stdout, 'data'), closeEvent]);
      }
    },
    output: () => stdout,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return waitForEnd();
    },
    ended: waitForEnd,
  };
}
