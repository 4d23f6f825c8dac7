import { reportWrongCall } from '../terminal/terminal.ts';
import { type Completes, type Options, readCommandLine, type ReadLine } from './options.ts';

/** One command of `guard`, for --help, shell completion and `main`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The ways to call it, one line each. Each line begins with `guard`. */
  readonly usage: readonly string[];
  /** What it does: the text above the options in --help. */
  readonly about: string;
  readonly options: Options;
  /** What completion offers for the first word after the command. Undefined when it offers nothing. */
  readonly operand?: Completes;
  /** The text below the options in --help. */
  readonly notes?: string;
  /** The meaning of the exit codes: the sentence after `Exit code:`. */
  readonly exits: string;
  /** True for a command that serves visitors: an error of its output must not end it. */
  readonly isService?: true;
  /** Resolves to the exit code: 0 done, 1 failed, 2 called wrongly. */
  run(args: readonly string[]): Promise<number>;
}

interface Definition<T extends Options> extends Omit<Command, 'run'> {
  readonly options: T;
  /** Resolves to the exit code, or to a sentence about a mistake in the call. */
  run(line: ReadLine<T>): Promise<number | string> | number | string;
}

/** Makes a command that prints the mistake of a wrong call. */
export function createCommand<const T extends Options>(definition: Definition<T>): Command {
  const { name, options } = definition;
  return {
    ...definition,
    async run(args) {
      const line = readCommandLine<T>(args, options);
      const outcome = typeof line === 'string' ? line : await definition.run(line);
      return typeof outcome === 'string' ? reportWrongCall(name, outcome) : outcome;
    },
  };
}
