import { escapeUnsafe } from '../../contract/printable.ts';

/** The problems of a settings file: the position, the found value, and what to do. */

/** The path of a setting, such as `['organisations', 0, 'rules', 2, 'match', 'ip']`. */
export type SettingPath = readonly (string | number)[];

export interface Problem {
  /** The file name that the loader was given. */
  readonly file: string;
  /** The line, counted from 1. It is always inside the file. */
  readonly line: number;
  /** The column, counted from 1 in UTF-16 code units. */
  readonly column: number;
  /** The path of the setting, such as `organisations[0].rules[2].match.ip`. Empty for the file as a whole. */
  readonly path: string;
  /** The found value, without secrets: a short description, or quoted text. */
  readonly found: string;
  /** The allowed values, and what to do. */
  readonly message: string;
}

export function formatProblem(problem: Problem): string {
  const { file, line, column, path, found, message } = problem;
  return `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}found ${found}; ${message}`;
}

/**
 * Whether a name can be shown, because it looks like the name of a setting or a header. After a mistake with quotes or
 * line ends, a whole passage of the file becomes a name. Such a name can contain secrets.
 */
export function isPlainName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(name);
}

/** The path in the form `organisations[0].id`. */
export function formatPath(path: SettingPath): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!isPlainName(step)) return '["…"]';
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

const MAX_QUOTED = 60;

/** The text as one short line in quotes, without terminal control characters. */
export function quote(text: string): string {
  const shortened = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  return inertJson(shortened);
}

/**
 * Returns a value as JSON on one line, without control characters for terminals and without invisible characters.
 * U+0085 and U+2028 would split the line. With a noncharacter, journalctl would hide the whole line.
 */
export function inertJson(value: unknown): string {
  return escapeUnsafe(JSON.stringify(value));
}

/** Joins words in the form `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  const unique = [...new Set(words)];
  const last = unique.pop() ?? '';
  return unique.length === 0 ? last : `${unique.join(', ')} or ${last}`;
}
