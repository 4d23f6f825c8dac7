import type { Command } from './command.ts';
import type { Option, Options } from './options.ts';

const COLUMN_GAP = 2;
const HELP_OPTION = { type: 'boolean', short: 'h', help: 'print this' } as const satisfies Option;

export const SHARED_OPTIONS: Options = { help: HELP_OPTION };

export function helpOf({ usage, about, options, notes, exits }: Command): string {
  const lines = usage.map((line, index) => `${index === 0 ? 'Usage:' : '      '} ${line}`);
  return [
    lines.join('\n'),
    about,
    optionLines({ ...options, ...SHARED_OPTIONS }),
    ...(notes === undefined ? [] : [notes]),
    `Exit code: ${exits}`,
  ].join('\n\n');
}

/** The text of `guard --help`: one line for each command. */
export function overviewOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'guard: a bot-defence gateway in front of your site',
    '',
    'Usage: guard <command> [options]',
    '',
    ...lines,
    '',
    'guard <command> --help explains a command; guard --version prints the version.',
  ].join('\n');
}

function optionLines(options: Options): string {
  const rows = Object.entries(options).flatMap(([name, option]) =>
    option.help === undefined ? [] : [{ words: optionTextOf(name, option), help: option.help }],
  );
  const width = Math.max(...rows.map(({ words }) => words.length)) + COLUMN_GAP;
  const hanging = `\n${' '.repeat(width)}`;
  return [
    'Options:',
    ...rows.map(({ words, help }) => words.padEnd(width) + help.replaceAll('\n', hanging)),
  ].join('\n');
}

/** The beginning of an option's line in --help, such as ` -c, --config FILE`. */
export function optionTextOf(name: string, { short, value }: Option): string {
  const shortForm = short === undefined ? '      ' : `  -${short}, `;
  return `${shortForm}--${name}${value === undefined ? '' : ` ${value}`}`;
}
