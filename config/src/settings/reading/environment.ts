import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { parseEnv } from 'node:util';
import { MAX_SETTINGS_BYTES, readTextFile } from '../values/files.ts';

/**
 * `${NAME}` in the text of guard.yaml. It is replaced after YAML was parsed, so a value cannot inject YAML. The value
 * is the value of the variable NAME, or the content of the file that the variable NAME_FILE names. Docker, Kubernetes
 * and systemd pass secrets in such files, so that no process list and no child process contains them.
 */

export type Environment = Readonly<Record<string, string | undefined>>;

interface MissingVariable {
  readonly kind: 'unset' | 'malformed';
  /** The text as written, with `${NAME}`. */
  readonly written: string;
  readonly message: string;
}

interface Substitution {
  /** The text with all variables replaced. Undefined when a variable is missing. */
  readonly value: string | undefined;
  /**
   * True when a part of the value comes from the environment. Then the value can be a secret, whatever the setting is.
   */
  readonly interpolated: boolean;
  readonly missing: readonly MissingVariable[];
  /** The files that NAME_FILE named, readable or not, as absolute paths. */
  readonly files: readonly string[];
}

/** The largest value in a file, in bytes. */
export const MAX_VALUE_BYTES = 16 * 1024;

const VARIABLE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Replaces each `${NAME}`, and `$${` by `${`. An empty variable is treated as missing. One line end at the end of a
 * file is dropped.
 */
export function substitute(text: string, env: Environment): Substitution {
  if (!text.includes('${')) return { value: text, interpolated: false, missing: [], files: [] };
  const missing: MissingVariable[] = [];
  const files: string[] = [];
  let isInterpolated = false;
  const value = text.replace(VARIABLE, (written: string, name: string | undefined, end: string) => {
    if (name === undefined) return '${';
    if (end === '' || !NAME.test(name)) {
      missing.push({ kind: 'malformed', written, message: EXPECTED_VARIABLE });
      return '';
    }
    const { value: variableValue, file, message } = lookUp(name, env);
    if (file !== undefined) files.push(file);
    if (variableValue === undefined) {
      missing.push({ kind: 'unset', written, message });
      return '';
    }
    isInterpolated = true;
    return variableValue;
  });
  return {
    value: missing.length === 0 ? value : undefined,
    interpolated: isInterpolated,
    missing,
    files,
  };
}

const EXPECTED_VARIABLE =
  'expected ${NAME} with letters, digits and _; write $${ if you mean ${ itself';

type LookUpResult = { readonly file?: string } & (
  | { readonly value: string; readonly message?: undefined }
  | { readonly value?: undefined; readonly message: string }
);

function lookUp(name: string, env: Environment): LookUpResult {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  const fileName = `${name}_FILE`;
  const path = Object.hasOwn(env, fileName) ? env[fileName] : undefined;
  if (path === undefined || path === '') {
    if (value !== undefined && value !== '') return { value };
    const state = value === '' ? 'is empty' : 'is not set';
    return {
      message: `the environment variable ${name} ${state}; give it a value there, or in the .env file beside this one (guard.env for guard.yaml)`,
    };
  }
  if (value !== undefined && value !== '') {
    return { message: `the environment has both ${name} and ${fileName}; keep one of them` };
  }
  if (!isAbsolute(path)) {
    return { message: `the environment variable ${fileName} is no absolute path; make it one` };
  }
  return { file: path, ...readValue(path, fileName) };
}

function readValue(path: string, fileName: string): LookUpResult {
  const file = readTextFile(path, MAX_VALUE_BYTES);
  const prefix = `the environment variable ${fileName} names`;
  switch (file.kind) {
    case 'read': {
      const value = file.text.replace(/\r?\n$/, '');
      return value === ''
        ? { message: `${prefix} an empty file; put the value into it` }
        : { value };
    }
    case 'unreadable':
      return { message: `${prefix} ${file.reason}; expected one with the value` };
    case 'not_utf8':
      return { message: `${prefix} a file that is not UTF-8; expected text` };
  }
}

type EnvironmentReading =
  | { readonly kind: 'read'; readonly env: Environment; readonly files: readonly string[] }
  /** `found` and `message` become parts of a problem. */
  | {
      readonly kind: 'refused';
      readonly file: string;
      readonly found: string;
      readonly message: string;
    };

/**
 * Adds the variables of the file beside the settings to the environment: `guard.env` beside `guard.yaml`, with lines
 * of `NAME=value`. A variable of the environment has priority over the file.
 */
export function withEnvironmentFile(settingsFile: string, env: Environment): EnvironmentReading {
  const file = environmentFileOf(settingsFile);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: 'read', env, files: [] };
  const refuse = (found: string, message: string): EnvironmentReading => ({
    kind: 'refused',
    ...{ file, found, message },
  });
  if (process.platform !== 'win32' && (stat.mode & 0o007) !== 0) {
    return refuse('a file that every user may open', `it holds secrets: chmod 600 ${file}`);
  }
  // In a folder such as /tmp, a stranger could choose the secrets of Guard.
  if (!isOfSameUser(stat.uid, settingsFile)) {
    return refuse(
      `a file of another user (id ${stat.uid})`,
      `expected one of the user of ${settingsFile}: remove it, or change its owner`,
    );
  }
  const reading = readTextFile(file, MAX_SETTINGS_BYTES);
  if (reading.kind === 'unreadable') return refuse(reading.reason, 'expected lines of NAME=value');
  if (reading.kind === 'not_utf8') return refuse('a byte that is not UTF-8', 'expected UTF-8');
  return { kind: 'read', env: { ...parseEnv(reading.text), ...env }, files: [file] };
}

/**
 * Whether Guard can trust a file of the user `uid` as much as the settings. This is so for root, for the user of this
 * process, and for the owner of the settings file.
 */
function isOfSameUser(uid: number, settingsFile: string): boolean {
  const ownUid = process.getuid?.();
  return (
    ownUid === undefined ||
    [0, ownUid, statSync(settingsFile, { throwIfNoEntry: false })?.uid].includes(uid)
  );
}

/** The path of the environment file, such as `guard.env` for `guard.yaml`. */
export function environmentFileOf(settingsFile: string): string {
  return `${settingsFile.replace(/\.ya?ml$/i, '')}.env`;
}
