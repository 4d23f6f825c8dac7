import type { Command } from '../command-line/command.ts';
import type { Completes } from '../command-line/options.ts';
import { type Offered, offeredOptions } from './offered.ts';

/** For `guard completion fish > ~/.config/fish/completions/guard.fish`. */
export function fishCompletion(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c guard -f -n __fish_use_subcommand -a ${command.name} -d ${quotedForFish(command.summary)}`,
    ...operandLines(command),
    ...offeredOptions(command).map((offered) => optionLine(command.name, offered)),
  ]);
  return ['# fish completion of guard', ...lines].join('\n');
}

function operandLines({ name, operand }: Command): string[] {
  if (operand === undefined) return [];
  const where = `complete -c guard -n '__fish_seen_subcommand_from ${name}'`;
  return [`${where} ${offering(operand)}`];
}

function optionLine(command: string, { name, option, summary }: Offered): string {
  const short = option.short === undefined ? '' : ` -s ${option.short}`;
  const value = option.type === 'boolean' ? '' : ` -r ${offering(option.completes)}`;
  const where = `complete -c guard -n '__fish_seen_subcommand_from ${command}'`;
  return `${where}${short} -l ${name}${value} -d ${quotedForFish(summary)}`;
}

function offering(completes: Completes | undefined): string {
  if (completes === undefined) return '-f';
  if (completes === 'file') return '-F';
  if (completes === 'folder') return `-f -a '(__fish_complete_directories)'`;
  return `-f -a ${quotedForFish(completes.join(' '))}`;
}

/** In fish, unlike in other shells, a backslash is special inside single quotes. */
function quotedForFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
