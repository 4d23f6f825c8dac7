import type { Command } from '../command-line/command.ts';
import { SHARED_OPTIONS } from '../command-line/help.ts';
import type { Option } from '../command-line/options.ts';

/** An option that a shell offers, with its long name. */
export interface OfferedOption {
  readonly name: string;
  readonly option: Option;
  /** The first line of the option's help. */
  readonly summary: string;
}

/** The options of a command that are in --help, and --help itself. */
export function offeredOptions({ options }: Command): OfferedOption[] {
  return Object.entries({ ...options, ...SHARED_OPTIONS }).flatMap(([name, option]) =>
    option.help === undefined
      ? []
      : [{ name, option, summary: option.help.split('\n', 1)[0] ?? '' }],
  );
}

/** The spellings of an option on the command line, such as `-c` and `--config`. */
export function spellings({ name, option: { short } }: OfferedOption): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

/** A text as one word of bash or zsh. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
