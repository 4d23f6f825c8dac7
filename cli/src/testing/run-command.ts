import { vi } from 'vitest';
import { main } from '../main.ts';

/** The output and the exit code of a command. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, without a terminal and therefore without colours. */
export async function runCommand(...args: readonly string[]): Promise<CommandResult> {
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(take);
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(take);
  const textOf = (spy: typeof stdout) => spy.mock.calls.map(([part]) => String(part)).join('');
  try {
    const code = await main(args);
    return { code, stdout: textOf(stdout), stderr: textOf(stderr) };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}

function take(_part: unknown, ...args: unknown[]): boolean {
  const done = args.at(-1);
  if (typeof done === 'function') (done as () => void)();
  return true;
}
