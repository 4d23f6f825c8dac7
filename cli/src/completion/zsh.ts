import type { Command } from '../command-line/command.ts';
import type { Completes } from '../command-line/options.ts';
import { type OfferedOption, offeredOptions, quoteForShell } from './offered.ts';

/** The script for a file `_guard` in a folder of `fpath`. It can also be sourced after `compinit`. */
export function zshCompletion(commands: readonly Command[]): string {
  const list = commands.map(
    ({ name, summary }) => `    ${quoteForShell(`${name}:${escapeSpecification(summary)}`)}`,
  );
  return `#compdef guard
_guard() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT -= 1 ))
  case $words[1] in
${commands.map(commandCase).join('\n')}
  esac
}
compdef _guard guard`;
}

function commandCase(command: Command): string {
  const specs = [
    ...offeredOptions(command).flatMap(specsOf),
    ...(command.operand === undefined ? [] : [operandSpec(command.operand)]),
  ];
  return [
    `    ${command.name})`,
    '      _arguments -s \\',
    specs.map((spec) => `        ${quoteForShell(spec)}`).join(' \\\n'),
    '      ;;',
  ].join('\n');
}

function specsOf({ name, option, summary }: OfferedOption): string[] {
  const repeatMark = option.multiple === true ? '*' : '';
  const value =
    option.type === 'boolean' ? '' : `:${option.value ?? 'value'}:${actionOf(option.completes)}`;
  const description = `[${escapeSpecification(summary)}]${value}`;
  const long = `${repeatMark}--${name}${description}`;
  return option.short === undefined
    ? [long]
    : [`${repeatMark}-${option.short}${description}`, long];
}

function operandSpec(operand: Completes): string {
  const isWord = typeof operand !== 'string';
  return `${isWord ? '1' : '*'}:${isWord ? 'what' : operand}:${actionOf(operand)}`;
}

function actionOf(completes: Completes | undefined): string {
  if (completes === undefined) return '';
  if (completes === 'file') return '_files';
  if (completes === 'folder') return '_files -/';
  return `(${completes.join(' ')})`;
}

/** Brackets and colons are special in a specification. */
function escapeSpecification(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&');
}
