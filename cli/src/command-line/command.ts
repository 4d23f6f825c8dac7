import { reportWrongCall } from '../terminal/terminal.ts';
import { type Completes, type Options, readCommandLine, type ReadLine } from './options.ts';

/** One command of `guard`, for --help, shell completion and `main`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The forms of a call, one line each. Each line begins with `guard`. */
  readonly usage: readonly string[];
  /** What the command does. --help shows this text above the options. */
  readonly about: string;
  readonly options: Options;
  /** The words that completion offers first after the command. Undefined when it offers no words. */
  readonly operand?: Completes;
  /** --help shows this text below the options. */
  readonly notes?: string;
  /** The meaning of the exit codes. --help shows this sentence after `Exit code:`. */
  readonly exits: string;
  /** True for a command that serves visitors: an error of its output must not end it. */
  readonly isService?: true;
  /** Resolves to the exit code. 0: the command succeeded. 1: it failed. 2: the call was wrong. */
  run(args: readonly string[]): Promise<number>;
}

interface Definition<T extends Options> extends Omit<Command, 'run'> {
  readonly options: T;
  /** Runs the command. Resolves to the exit code, or to a sentence about a mistake in the call. */
  run(line: ReadLine<T>): Promise<number | string> | number | string;
}

/** Makes a command from its definition. For a wrong call, the command prints the mistake. */
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
