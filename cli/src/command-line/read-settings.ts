import { type Loaded, loadSettings } from '@guard/config/settings/load';
import { formatProblem } from '@guard/config/settings/problems/problems';
import { print } from '../terminal/terminal.ts';

/** Reads the settings file of a command. If it has problems, prints one per line and returns undefined. */
export function readSettings(
  file: string,
  env: NodeJS.ProcessEnv = process.env,
): Loaded | undefined {
  const read = loadSettings(file, env);
  if (read.kind === 'loaded') return read;
  print(read.problems.map(formatProblem).join('\n'), 'error');
  return undefined;
}
