import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { nearestName } from '@guard/config/settings/nearest-name';

/** What a shell offers for a value: paths, or these words. */
export type Completes = 'file' | 'folder' | readonly string[];

/** An option as `node:util` reads it, and as people do. */
export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: string | boolean;
  /** What its value is called in --help; without one it is a switch. */
  readonly value?: string;
  /** Its lines in --help. None for an option that is only accepted, for the sake of pasted commands. */
  readonly help?: string;
  readonly completes?: Completes;
}

/** Options of a command by their long names, in the order of --help. */
export type Options = Readonly<Record<string, Option>>;

export const CONFIG_OPTION = {
  type: 'string',
  short: 'c',
  value: 'FILE',
  completes: 'file',
  help: 'the settings file',
} as const satisfies Option;

/** What came of reading words that somebody typed. */
export type CommandLine<T extends ParseArgsOptionsConfig> =
  | ({ readonly kind: 'read' } & Pick<ReturnType<typeof parseWords<T>>, 'values' | 'positionals'>)
  /** A sentence for the person who typed. */
  | { readonly kind: 'wrong'; readonly message: string };

/** Options and operands of a command, or what is wrong with them. */
export function readCommandLine<T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
): CommandLine<T> {
  const stranger = strangeOption(args, options);
  if (stranger !== undefined) return { kind: 'wrong', message: stranger };
  try {
    const { values, positionals } = parseWords(args, options);
    return { kind: 'read', values, positionals };
  } catch (error) {
    return { kind: 'wrong', message: error instanceof Error ? error.message : String(error) };
  }
}

function parseWords<T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) {
  return parseArgs({ args: [...args], options, allowPositionals: true });
}

/** The first option that the command does not have, with the one that was probably meant. */
function strangeOption(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): string | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    const near = nearestName(token.name, Object.keys(options));
    const hint = near === undefined ? '' : `; did you mean --${near}?`;
    return `there is no option ${token.rawName}${hint}`;
  }
  return undefined;
}
