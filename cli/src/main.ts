import { check } from './commands/check.ts';
import type { Command } from './commands/command.ts';
import { crawlers } from './commands/crawlers.ts';
import { explain } from './commands/explain.ts';
import { keys } from './commands/keys.ts';
import { replay } from './commands/replay.ts';
import { start } from './commands/start.ts';
import { print } from './terminal.ts';

/** Every command of `guard`, in the order in which --help lists them. */
const commands: readonly Command[] = [start, check, explain, replay, keys, crawlers];

/** Runs `guard` with these arguments; resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    print(overview());
    return name === undefined ? 2 : 0;
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) {
    print(`guard: there is no command ${JSON.stringify(name)}.\n\n${overview()}`, 'error');
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    print(command.help);
    return 0;
  }
  return command.run(rest);
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'guard: a bot-defence gateway in front of your site',
    '',
    'Usage: guard <command> [options]',
    '',
    ...lines,
    '',
    'guard <command> --help says more about one of them.',
  ].join('\n');
}
