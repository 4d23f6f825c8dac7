import type { Command } from '../command-line/command.ts';
import type { Completes } from '../command-line/options.ts';
import { offeredOptions, quoteForShell, spellings } from './offered.ts';

/** The script for `source <(guard completion bash)`. It does not need the bash-completion package. */
export function bashCompletion(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# bash completion of guard
_guard() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W ${quoteForShell(`${names} --help`)} -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${commands.map(commandCase).join('\n')}
  esac
}
complete -o filenames -F _guard guard`;
}

function commandCase(command: Command): string {
  const options = offeredOptions(command);
  const valueOptions = options.filter(({ option }) => option.type === 'string');
  const values = valueOptions.map(
    (option) =>
      `        ${spellings(option).join('|')}) ${replyWith(option.option.completes)}; return ;;`,
  );
  const words = options.map(({ name }) => `--${name}`).join(' ');
  const operand =
    command.operand === undefined
      ? []
      : command.operand === 'file' || command.operand === 'folder'
        ? [`      ${replyWith(command.operand)}`]
        : [`      (( COMP_CWORD == 2 )) && ${replyWith(command.operand)}`];
  return [
    `    ${command.name})`,
    ...(values.length === 0 ? [] : ['      case $before in', ...values, '      esac']),
    `      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W ${quoteForShell(words)} -- "$word")); return; fi`,
    ...operand,
    '      ;;',
  ].join('\n');
}

/** File names can contain spaces, so each name is read from its own line. */
function replyWith(completes: Completes | undefined): string {
  if (completes === undefined) return ':';
  if (completes === 'file') return 'mapfile -t COMPREPLY < <(compgen -f -- "$word")';
  if (completes === 'folder') return 'mapfile -t COMPREPLY < <(compgen -d -- "$word")';
  return `COMPREPLY=($(compgen -W ${quoteForShell(completes.join(' '))} -- "$word"))`;
}
