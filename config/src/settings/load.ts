import { dirname, resolve } from 'node:path';
import { checkContradictions } from './checks/cross-references.ts';
import { type Environment, withEnvironmentFile } from './reading/environment.ts';
import { MAX_SETTINGS_BYTES, readTextFile } from './values/files.ts';
import { describeFound } from './reading/found.ts';
import { dataFolderIn } from './derived/data-places.ts';
import { filesOf } from './derived/files-of.ts';
import { type KnownLists, ListReading, withLists } from './lists/list-reading.ts';
import { rememberFetchedLists } from './derived/fetched-lists.ts';
import {
  createLocator,
  createProblemList,
  type Position,
  type ProblemList,
} from './problems/problem-list.ts';
import { filesNamedIn, plainValue } from './reading/plain-value.ts';
import {
  alternatives,
  formatProblem,
  type Problem,
  type SettingPath,
} from './problems/problems.ts';
import { readYaml } from './reading/read-yaml.ts';
import { type EntrySource, type ReadByEntry, readByEntry } from './read-by-entry.ts';
import { Settings } from './schema.ts';
import { rememberRuleLines } from './derived/rule-lines.ts';
import { keyOffset, placeOf, type SettingsNode } from './reading/settings-node.ts';
import { reportShapeProblems } from './checks/shape-problems.ts';
import { atOnce, type Sliced } from '../time/slices.ts';

export { formatProblem, type Position, type Problem, type SettingPath };

/** Finds a star where YAML allows an alias (`*name`). The star can also be in a comment. */
const ALIAS_PATTERN = /(?:^|[\s[{,])\*[^\s*]/m;

/** The most values in one suggestion. */
const MAX_CHOICES = 10;

export interface LoadedSettings {
  readonly kind: 'loaded';
  readonly settings: Settings;
  /** The files and folders that are read with the settings, as absolute paths. */
  readonly files: readonly string[];
  /** The position of a setting's name. For a missing setting, the position of its mapping. */
  readonly positionOf: (path: SettingPath) => Position;
  readonly lists: KnownLists;
}

export type LoadResult =
  | LoadedSettings
  /** The problems in the order of the file. There is at least one. */
  | {
      readonly kind: 'invalid';
      readonly problems: readonly Problem[];
      /** The files and folders that the settings file names, if it could be read. */
      readonly files: readonly string[];
    };

interface SettingsSource {
  /** The name of the file that problems show. */
  readonly file: string;
  /** The folder for relative paths in the file. */
  readonly baseDir: string;
  readonly env: Environment;
}

/** Reads a settings file, and the pages that it names. Never throws, and has no side effects. */
export function loadSettings(path: string, env: Environment): LoadResult {
  const file = readTextFile(path, MAX_SETTINGS_BYTES);
  switch (file.kind) {
    case 'read':
      return parseWithEnvironment(file.text, path, env);
    case 'unreadable':
      return invalidFile(path, 0, '', file.reason, 'expected a settings file of at most 8 MiB');
    case 'not_utf8':
      return invalidFile(
        path,
        file.validPrefix.length,
        `${file.validPrefix}?`,
        'a byte that is not UTF-8',
        'expected a file in UTF-8; save it again in that encoding',
      );
  }
}

/**
 * Reads the file entry by entry. Undefined when `loadSettings` must read the whole file, for example because of a
 * mistake.
 */
export function* loadByEntry(
  path: string,
  env: Environment,
  options: Pick<EntrySource, 'kept' | 'maxBytes'>,
): Sliced<ReadByEntry | undefined> {
  const file = readTextFile(path, MAX_SETTINGS_BYTES);
  const environment = withEnvironmentFile(resolve(path), env);
  if (file.kind !== 'read' || environment.kind === 'refused') return undefined;
  yield;
  const source = { ...options, baseDir: dirname(resolve(path)), env: environment.env };
  const reading = yield* readByEntry(file.text, source);
  return reading && { ...reading, files: [...reading.files, ...environment.files] };
}

/**
 * The files and folders that a settings file names, without copies of fetched lists and databases. Undefined for a
 * file with aliases, because a few aliases can expand to many values.
 */
export function filesNamedAt(path: string, env: Environment): readonly string[] | undefined {
  const file = readTextFile(path, MAX_SETTINGS_BYTES);
  if (file.kind !== 'read') return [];
  if (ALIAS_PATTERN.test(file.text)) return undefined;
  const environment = withEnvironmentFile(resolve(path), env);
  const problems = createProblemList(path, createLocator(file.text));
  const root =
    environment.kind === 'refused' ? undefined : readYaml(file.text, environment.env, problems);
  return root === undefined ? [] : filesNamedIn(root, dirname(resolve(path)));
}

/** Parses a text that was already read, with `env` and the environment file beside `path`. */
export function parseWithEnvironment(text: string, path: string, env: Environment): LoadResult {
  const environment = withEnvironmentFile(resolve(path), env);
  if (environment.kind === 'refused') {
    return invalidFile(environment.file, 0, '', environment.found, environment.message);
  }
  const source = { file: path, baseDir: dirname(resolve(path)), env: environment.env };
  const result = parseSettings(text, source);
  return { ...result, files: [...result.files, ...environment.files] };
}

/** Parses a text with only the given environment. Pages that it names are read from disk. */
export function parseSettings(text: string, source: SettingsSource): LoadResult {
  const { file, baseDir, env } = source;
  if (Buffer.byteLength(text) > MAX_SETTINGS_BYTES) {
    return invalidFile(file, 0, text, 'a longer text', 'expected a settings file of at most 8 MiB');
  }
  const locate = createLocator(text);
  const problems = createProblemList(file, locate);
  const root = readYaml(text, env, problems);
  if (root === undefined) return { kind: 'invalid', problems: problems.sorted(), files: [] };

  const value = plainValue(root, baseDir);
  const lists = new ListReading({ folder: dataFolderIn(value) });
  const parsed = withLists(lists, () => Settings.safeParse(value));
  const meantSettings = parsed.success
    ? []
    : reportShapeProblems(parsed.error.issues, { schema: Settings, root, value }, problems);
  // Settings below a misspelt name were not read. So a contradiction with such a setting would be reported wrongly.
  const isUnread = [...meantSettings].some((name) => Object.hasOwn(Settings.shape, name));
  if (!isUnread) reportContradictions(value, root, problems);

  const sortedProblems = problems.sorted();
  const { fetchedLists } = lists;
  const settings = parsed.success ? parsed.data : undefined;
  const files = filesOf(settings, filesNamedIn(root, baseDir), fetchedLists);
  if (settings !== undefined && sortedProblems.length === 0) {
    const positionOf = (path: SettingPath): Position => locate(keyOffset(root, path));
    rememberRuleLines(settings, positionOf);
    rememberFetchedLists(settings, fetchedLists);
    return { kind: 'loaded', settings, files, positionOf, lists: lists.nextKnown };
  }
  return { kind: 'invalid', problems: sortedProblems, files };
}

function reportContradictions(value: unknown, root: SettingsNode, problems: ProblemList): void {
  for (const { path, message, first, choices = [] } of atOnce(checkContradictions(value))) {
    const place = placeOf(root, path);
    // One mistake often violates several checks. The message of the first check is enough.
    if (problems.has(place.offset, path)) continue;
    const choiceTexts = choices
      .slice(0, MAX_CHOICES)
      .map((choice) => describeFound(placeOf(root, choice), choice));
    const firstText =
      first && `; the first one is in line ${problems.lineOf(keyOffset(root, first))}`;
    const choicesText = choiceTexts.length === 0 ? '' : `: ${alternatives(choiceTexts)}`;
    problems.add(
      place.offset,
      path,
      describeFound(place, path),
      message + (firstText ?? choicesText),
    );
  }
}

function invalidFile(
  file: string,
  offset: number,
  text: string,
  found: string,
  message: string,
): LoadResult {
  const problems = createProblemList(file, createLocator(text));
  problems.add(offset, [], found, message);
  return { kind: 'invalid', problems: problems.sorted(), files: [] };
}
