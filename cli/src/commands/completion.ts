import { inertJson } from '@guard/config/settings/problems/problems';
import { completionFor, SHELLS } from '../completion/shells.ts';
import { print } from '../terminal/terminal.ts';
import { type Command, createCommand } from '../command-line/command.ts';
import { switchOption } from '../command-line/options.ts';

/** `everyCommand` returns the commands to complete: all other commands and this one. */
export function createCompletion(
  everyCommand: (completion: Command) => readonly Command[],
): Command {
  const completion: Command = createCommand({
    name: 'completion',
    summary: 'Print a script with which your shell completes commands and options.',
    usage: ['guard completion bash|zsh|fish [--json]'],
    about: `bash  source <(guard completion bash)           in ~/.bashrc
zsh   source <(guard completion zsh)            in ~/.zshrc, after compinit
fish  guard completion fish > ~/.config/fish/completions/guard.fish`,
    options: { json: switchOption('one JSON object: `{ "shell": …, "script": … }`') },
    operand: SHELLS,
    exits: '0 printed, 2 called wrongly.',
    run({ values, positionals }) {
      const [word, more] = positionals;
      const shell = SHELLS.find((name) => name === word);
      if (shell === undefined || more !== undefined) return `name one shell: ${SHELLS.join(', ')}`;
      const script = completionFor(shell, everyCommand(completion));
      print(values.json ? inertJson({ shell, script }) : script);
      return 0;
    },
  });
  return completion;
}
