import { dirname, resolve } from 'node:path';
import { findContradictions } from './cross-references.ts';
import type { Environment } from './environment.ts';
import { MAX_SETTINGS_BYTES, readTextFile } from './files.ts';
import { describeFound } from './found.ts';
import { createLocator } from './locate.ts';
import { plainValue } from './plain-value.ts';
import { createProblemList, type ProblemList } from './problem-list.ts';
import { alternatives, formatProblem, type Problem } from './problems.ts';
import { readYaml } from './read-yaml.ts';
import { Settings } from './schema.ts';
import { keyOffset, placeOf, type SettingsNode } from './settings-node.ts';
import { reportShapeProblems } from './shape-problems.ts';

export { formatProblem, type Problem };

/** Most values that are suggested in one line. */
const MAX_CHOICES = 10;

export type LoadResult =
  | { readonly kind: 'loaded'; readonly settings: Settings }
  /** Everything that is wrong, in the order of the file; at least one problem. */
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** Where a text came from. */
export interface SettingsSource {
  /** How problems name the file. */
  readonly file: string;
  /** The folder that relative paths in the file start from. */
  readonly baseDir: string;
  /** What `${NAME}` is read from. */
  readonly env: Environment;
}

/** Reads a settings file and the pages it names. Never throws; nothing is started or written. */
export function loadSettings(path: string, env: Environment): LoadResult {
  const file = readTextFile(path, MAX_SETTINGS_BYTES);
  switch (file.kind) {
    case 'read':
      return parseSettings(file.text, { file: path, baseDir: dirname(resolve(path)), env });
    case 'unreadable':
      return refused(path, 0, '', file.reason, 'expected a settings file of at most 1024 KiB');
    case 'not_utf8':
      return refused(
        path,
        file.validPrefix.length,
        `${file.validPrefix}?`,
        'a byte that is not UTF-8',
        'expected a file in UTF-8; save it again in that encoding',
      );
  }
}

/** The same for a text that has been read already. Pages that it names are read from disk. */
export function parseSettings(text: string, source: SettingsSource): LoadResult {
  const { file, baseDir, env } = source;
  if (Buffer.byteLength(text) > MAX_SETTINGS_BYTES) {
    return refused(file, 0, text, 'a longer text', 'expected a settings file of at most 1024 KiB');
  }
  const problems = createProblemList(file, createLocator(text));
  const root = readYaml(text, env, problems);
  if (root === undefined) return { kind: 'invalid', problems: problems.sorted() };

  const value = plainValue(root, baseDir);
  const checked = Settings.safeParse(value);
  if (!checked.success) {
    reportShapeProblems(checked.error.issues, { schema: Settings, root, value }, problems);
  }
  reportContradictions(value, root, problems);

  const found = problems.sorted();
  if (checked.success && found.length === 0) return { kind: 'loaded', settings: checked.data };
  return { kind: 'invalid', problems: found };
}

function reportContradictions(value: unknown, root: SettingsNode, problems: ProblemList): void {
  for (const { path, message, first, choices = [] } of findContradictions(value)) {
    const place = placeOf(root, path);
    const listed = choices
      .slice(0, MAX_CHOICES)
      .map((choice) => describeFound(placeOf(root, choice), choice));
    const where = first && `; the first one is in line ${problems.lineOf(keyOffset(root, first))}`;
    const which = listed.length === 0 ? '' : `: ${alternatives(listed)}`;
    problems.add(place.offset, path, describeFound(place, path), message + (where ?? which));
  }
}

function refused(
  file: string,
  offset: number,
  text: string,
  found: string,
  message: string,
): LoadResult {
  const problems = createProblemList(file, createLocator(text));
  problems.add(offset, [], found, message);
  return { kind: 'invalid', problems: problems.sorted() };
}
