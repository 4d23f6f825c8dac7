import type { Position } from './locate.ts';
import { formatPath, type Problem, type SettingPath } from './problems.ts';

/** Most problems that are listed for one file. The rest are counted. */
const MAX_PROBLEMS = 200;

/** Collects the problems of one file, each once. */
export interface ProblemList {
  /** `offset` is where in the text. */
  add(offset: number, path: SettingPath, found: string, message: string): void;
  /** Whether something is wrong at this place already. */
  has(offset: number, path: SettingPath): boolean;
  /** The line of an offset, counted from 1. */
  lineOf(offset: number): number;
  /** In the order of the file. */
  sorted(): readonly Problem[];
}

export function createProblemList(file: string, locate: (offset: number) => Position): ProblemList {
  const problems = new Map<string, Problem>();
  const places = new Set<string>();
  const placeOf = (offset: number, path: SettingPath) => `${offset} ${formatPath(path)}`;
  return {
    add(offset, path, found, message) {
      const problem = { file, ...locate(offset), path: formatPath(path), found, message };
      problems.set(JSON.stringify(problem), problem);
      places.add(placeOf(offset, path));
    },
    has: (offset, path) => places.has(placeOf(offset, path)),
    lineOf: (offset) => locate(offset).line,
    sorted() {
      const all = [...problems.values()].sort(
        (a, b) => a.line - b.line || a.column - b.column || a.path.localeCompare(b.path),
      );
      const shown = all.slice(0, MAX_PROBLEMS);
      const last = shown.at(-1);
      if (last === undefined || all.length === shown.length) return shown;
      const more = `${all.length - shown.length} more problems`;
      return [...shown, { ...last, path: '', found: more, message: 'fix the ones above first' }];
    },
  };
}
