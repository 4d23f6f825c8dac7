import { statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from './environment.ts';
import { MAX_SETTINGS_BYTES, readTextFile } from '../values/files.ts';

export type WithFile =
  | { readonly kind: 'read'; readonly env: Environment; readonly files: readonly string[] }
  /** `found` and `message` are the parts of a problem. */
  | {
      readonly kind: 'refused';
      readonly file: string;
      readonly found: string;
      readonly message: string;
    };

/**
 * The environment, with what the file beside the settings adds: `guard.env` beside `guard.yaml`, in lines of
 * `NAME=value`. A variable that the environment has counts before one of the file. Without the file nothing changes.
 */
export function withEnvironmentFile(settingsFile: string, env: Environment): WithFile {
  const file = environmentFileOf(settingsFile);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return { kind: 'read', env, files: [] };
  const refused = (found: string, message: string): WithFile => ({
    kind: 'refused',
    ...{ file, found, message },
  });
  if (process.platform !== 'win32' && (mode & 0o007) !== 0) {
    return refused('a file that every user may open', `it holds secrets: chmod 600 ${file}`);
  }
  const read = readTextFile(file, MAX_SETTINGS_BYTES);
  if (read.kind === 'unreadable') return refused(read.reason, 'expected lines of NAME=value');
  if (read.kind === 'not_utf8') return refused('a byte that is not UTF-8', 'expected UTF-8');
  return { kind: 'read', env: { ...parseEnv(read.text), ...env }, files: [file] };
}

/** `guard.env` for `guard.yaml`. */
export function environmentFileOf(settingsFile: string): string {
  return `${settingsFile.replace(/\.ya?ml$/i, '')}.env`;
}
