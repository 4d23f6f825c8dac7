import type { Command } from '../command-line/command.ts';
import type { Completes } from '../command-line/options.ts';
import { type OfferedOption, offeredOptions } from './offered.ts';

/** The script for `guard completion fish > ~/.config/fish/completions/guard.fish`. */
export function fishCompletion(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c guard -f -n __fish_use_subcommand -a ${command.name} -d ${quoteForFish(command.summary)}`,
    ...operandLines(command),
    ...offeredOptions(command).map((option) => optionLine(command.name, option)),
  ]);
  return ['# fish completion of guard', ...lines].join('\n');
}

function operandLines({ name, operand }: Command): string[] {
  if (operand === undefined) return [];
  const prefix = `complete -c guard -n '__fish_seen_subcommand_from ${name}'`;
  return [`${prefix} ${valueArguments(operand)}`];
}

function optionLine(command: string, { name, option, summary }: OfferedOption): string {
  const short = option.short === undefined ? '' : ` -s ${option.short}`;
  const value = option.type === 'boolean' ? '' : ` -r ${valueArguments(option.completes)}`;
  const prefix = `complete -c guard -n '__fish_seen_subcommand_from ${command}'`;
  return `${prefix}${short} -l ${name}${value} -d ${quoteForFish(summary)}`;
}

function valueArguments(completes: Completes | undefined): string {
  if (completes === undefined) return '-f';
  if (completes === 'file') return '-F';
  if (completes === 'folder') return `-f -a '(__fish_complete_directories)'`;
  return `-f -a ${quoteForFish(completes.join(' '))}`;
}

/** In fish, unlike in other shells, a backslash is special inside single quotes. */
function quoteForFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
