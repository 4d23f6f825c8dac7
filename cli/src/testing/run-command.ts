import { vi } from 'vitest';
import { main } from '../main.ts';

/** The output and the exit code of a command. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, without a terminal and therefore without colours. */
export async function runCommand(...args: readonly string[]): Promise<Ran> {
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(taken);
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(taken);
  const written = (spy: typeof stdout) => spy.mock.calls.map(([part]) => String(part)).join('');
  try {
    const code = await main(args);
    return { code, stdout: written(stdout), stderr: written(stderr) };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}

function taken(_part: unknown, ...more: unknown[]): boolean {
  const written = more.at(-1);
  if (typeof written === 'function') (written as () => void)();
  return true;
}
