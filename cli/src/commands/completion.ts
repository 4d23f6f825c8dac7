import { completionFor, SHELLS } from '../completion/shells.ts';
import { calledWrongly, print } from '../terminal/terminal.ts';
import { type Command, createCommand, type ReadLine } from '../command-line/command.ts';
import { flag, type Options } from '../command-line/options.ts';

const OPTIONS = {
  json: flag('one JSON object: `{ "shell": …, "script": … }`'),
} as const satisfies Options;

/** `everyCommand` returns the commands to complete: all others and this one. */
export function createCompletion(
  everyCommand: (completion: Command) => readonly Command[],
): Command {
  const completion: Command = createCommand({
    name: 'completion',
    summary: 'Print a script that teaches your shell the commands and options.',
    usage: ['guard completion bash|zsh|fish [--json]'],
    about: `bash  source <(guard completion bash)           in ~/.bashrc
zsh   source <(guard completion zsh)            in ~/.zshrc, behind compinit
fish  guard completion fish > ~/.config/fish/completions/guard.fish`,
    options: OPTIONS,
    operand: SHELLS,
    exits: '0 printed, 2 called wrongly.',
    run: (line) => Promise.resolve(run(line, everyCommand(completion))),
  });
  return completion;
}

function run(
  { values, positionals }: ReadLine<typeof OPTIONS>,
  commands: readonly Command[],
): number {
  const [word, more] = positionals;
  const shell = SHELLS.find((known) => known === word);
  if (shell === undefined || more !== undefined) {
    return calledWrongly('completion', `name one shell: ${SHELLS.join(', ')}`);
  }
  const script = completionFor(shell, commands);
  print(values.json ? JSON.stringify({ shell, script }) : script);
  return 0;
}
