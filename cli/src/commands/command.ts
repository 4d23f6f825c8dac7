import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { print } from '../terminal.ts';

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  /** Resolves to the exit code: 0 done, 1 failed, 2 called wrongly. */
  run(args: readonly string[]): Promise<number>;
}

/** Options and operands of a command, or what is wrong with them, in words for the person who typed. */
export function readArguments<T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    print(`guard: ${error instanceof Error ? error.message : String(error)}`, 'error');
    return undefined;
  }
}
