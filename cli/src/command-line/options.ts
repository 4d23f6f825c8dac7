import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { nearestName } from '@guard/config/settings/problems/nearest-name';
import { messageOf } from '../terminal/faults.ts';

/** The values that shell completion offers: paths, or these words. */
export type Completes = 'file' | 'folder' | readonly string[];

/** An option, for `parseArgs` of node:util and for --help. */
export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: string | boolean;
  /** The name of its value in --help. An option without it is a switch. */
  readonly value?: string;
  /** The lines of the option in --help. Undefined for an option of curl that the command accepts and ignores. */
  readonly help?: string;
  readonly completes?: Completes;
}

/** Options of a command by their long names, in the order of --help. */
export type Options = Readonly<Record<string, Option>>;

/** The settings file that `guard init` writes, and that every command reads when the call names no other file. */
export const USUAL_FILE = 'guard.yaml';

export const CONFIG_OPTION = {
  type: 'string',
  short: 'c',
  value: 'FILE',
  completes: 'file',
  help: `the settings file; default ${USUAL_FILE} in this folder`,
} as const satisfies Option;

/** An option with a value. `value` is its name in --help. */
export function valueOption(value: string, help: string, completes?: Completes) {
  return {
    type: 'string',
    value,
    help,
    ...(completes !== undefined && { completes }),
  } as const satisfies Option;
}

/** A switch that is off by default. */
export function switchOption(help: string) {
  return { type: 'boolean', default: false, help } as const satisfies Option;
}

/** The options and operands of a call without a mistake. */
export type ReadLine<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseWords<T>>;

/**
 * Reads the options and operands of a command. When the result is a text, it is a sentence about a mistake in the call.
 */
export function readCommandLine<T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
): ReadLine<T> | string {
  const unknown = unknownOption(args, options);
  if (unknown !== undefined) return unknown;
  try {
    return parseWords(args, options);
  } catch (error) {
    return messageOf(error);
  }
}

function parseWords<T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) {
  return parseArgs({ args: [...args], options, allowPositionals: true });
}

/** A sentence about the first unknown option, with the option that the user probably wanted. */
function unknownOption(
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
