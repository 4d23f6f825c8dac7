import { readFileSync } from 'node:fs';
import { nearestName } from '@guard/config/settings/problems/nearest-name';
import { commands } from './commands/all-commands.ts';
import { helpOf, overviewOf } from './command-line/help.ts';
import { handleOutputErrors } from './terminal/output-errors.ts';
import { print } from './terminal/terminal.ts';

/** Runs `guard` with these arguments. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const command = commands.find((candidate) => candidate.name === name);
  handleOutputErrors(command?.isService === true);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    print(overviewOf(commands));
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-V') {
    print(`guard ${guardVersion()} on Node ${process.versions.node}`);
    return 0;
  }
  if (!command) {
    const near = nearestName(
      name,
      commands.map((candidate) => candidate.name),
    );
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    const message = `guard: there is no command ${JSON.stringify(name)}.${hint}`;
    print(`${message}\n\n${overviewOf(commands)}`, 'error');
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    print(helpOf(command));
    return 0;
  }
  return command.run(rest);
}

function guardVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  // The cast is safe, because npm has checked that the manifest has a version.
  const { version } = JSON.parse(manifest) as { version: string };
  return version;
}
