import { calledWrongly } from '../terminal/terminal.ts';
import { type CommandLine, type Completes, type Options, readCommandLine } from './options.ts';

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
  /** It serves visitors, so an error of its output must not end it. */
  readonly isService?: true;
  /** Resolves to the exit code: 0 done, 1 failed, 2 called wrongly. */
  run(args: readonly string[]): Promise<number>;
}

/** The options and operands of a call without a mistake. */
export type ReadLine<T extends Options> = Extract<CommandLine<T>, { kind: 'read' }>;

interface Definition<T extends Options> extends Omit<Command, 'run'> {
  readonly options: T;
  run(line: ReadLine<T>): Promise<number>;
}

/** Makes a command that answers a mistake in its options itself. */
export function createCommand<const T extends Options>(definition: Definition<T>): Command {
  const { name, options } = definition;
  return {
    ...definition,
    async run(args) {
      const line = readCommandLine<T>(args, options);
      return line.kind === 'wrong' ? calledWrongly(name, line.message) : definition.run(line);
    },
  };
}
