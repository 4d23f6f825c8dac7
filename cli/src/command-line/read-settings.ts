import { existsSync } from 'node:fs';
import { type LoadedSettings, type LoadResult, loadSettings } from '@guard/config/settings/load';
import { formatProblem } from '@guard/config/settings/problems/problems';
import { strangerOf } from './owners.ts';
import { print } from '../terminal/terminal.ts';
import { USUAL_FILE } from './options.ts';

/** Why there is no settings file for a call that names none. */
interface NoFile {
  /** A sentence for the user. */
  readonly why: string;
  /** True when the folder has the usual file, but the file belongs to another user. */
  readonly isForeign: boolean;
}

const NO_FILE: NoFile = {
  why: `there is no ${USUAL_FILE} in this folder; name the settings file: --config FILE`,
  isForeign: false,
};

/**
 * The settings file of a command: the given file, or the usual file of this folder. A usual file that belongs to
 * another user is refused. Otherwise, in a folder such as /tmp, its commands and addresses would be used with the
 * rights of this user.
 */
export function settingsFile(givenFile: string | undefined): string | NoFile {
  if (givenFile !== undefined) return givenFile;
  if (!existsSync(USUAL_FILE)) return NO_FILE;
  const uid = strangerOf(USUAL_FILE);
  if (uid === undefined) return USUAL_FILE;
  const why = `${USUAL_FILE} in this folder belongs to another user (id ${uid}); if you trust it, name it: --config ${USUAL_FILE}`;
  return { why, isForeign: true };
}

/**
 * Reads the settings file of a command. If the file has problems, prints one problem per line and returns undefined.
 */
export function readSettings(file: string): LoadedSettings | undefined {
  return loadedOrReport(loadSettings(file, process.env));
}

export function loadedOrReport(result: LoadResult): LoadedSettings | undefined {
  if (result.kind === 'loaded') return result;
  print(result.problems.map(formatProblem).join('\n'), 'error');
  return undefined;
}
