import { existsSync } from 'node:fs';
import { type Loaded, type LoadResult, loadSettings } from '@guard/config/settings/load';
import { formatProblem } from '@guard/config/settings/problems/problems';
import { print } from '../terminal/terminal.ts';
import { USUAL_FILE } from './options.ts';

/** A sentence for a call that names no settings file, in a folder without the usual one. */
export const NO_FILE = `there is no ${USUAL_FILE} in this folder; name the settings file: --config FILE`;

/** The settings file of a command: the one that is given, or the usual one of this folder. Undefined without both. */
export function settingsFile(givenFile: string | undefined): string | undefined {
  return givenFile ?? (existsSync(USUAL_FILE) ? USUAL_FILE : undefined);
}

/** Reads the settings file of a command. If it has problems, prints one per line and returns undefined. */
export function readSettings(file: string): Loaded | undefined {
  return loadedOrReport(loadSettings(file, process.env));
}

/** Prints one problem per line when the settings have some. */
export function loadedOrReport(result: LoadResult): Loaded | undefined {
  if (result.kind === 'loaded') return result;
  print(result.problems.map(formatProblem).join('\n'), 'error');
  return undefined;
}
