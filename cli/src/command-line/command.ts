import type { Completes, Options } from './options.ts';

/** One command of `guard`: what --help, shell completion and `main` know of it. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** How it is called, one line a way, each beginning with `guard`. */
  readonly usage: readonly string[];
  /** What it does; stands above the options in --help. */
  readonly about: string;
  readonly options: Options;
  /** What the first word behind the command is; nothing where it takes none that can be guessed. */
  readonly operand?: Completes;
  /** What else there is to know; stands below the options. */
  readonly notes?: string;
  /** What the exit codes mean, as a sentence behind `Exit code:`. */
  readonly exits: string;
  /** It serves visitors: what becomes of its output must not end it. */
  readonly isService?: true;
  /** Resolves to the exit code: 0 done, 1 failed, 2 called wrongly. */
  run(args: readonly string[]): Promise<number>;
}
