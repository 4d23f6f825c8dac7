import { LineCounter } from 'yaml';
import { formatPath, type Problem, type SettingPath } from './problems.ts';

export interface Position {
  /** The line, counted from 1. */
  readonly line: number;
  /** The column, counted from 1 in UTF-16 code units. */
  readonly column: number;
}

/** Maps an offset in the text to a position. An offset at or after the end gives the last character. */
export function createLocator(text: string): (offset: number) => Position {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lines.addNewLine(at + 1);
  }
  const lastCharacter = Math.max(0, text.trimEnd().length - 1);

  return (offset) => {
    const { line, col } = lines.linePos(Math.max(0, Math.min(offset, lastCharacter)));
    return { line, column: col };
  };
}

/** The maximum number of problems that are collected. Further problems are only counted. */
const MAX_PROBLEMS = 200;

/** Collects problems, each only once. */
export interface ProblemList {
  /**
   * `offset` is the position in the text. For a problem in another file that the text names, `elsewhere` is used
   * instead.
   */
  add(
    offset: number,
    path: SettingPath,
    found: string,
    message: string,
    elsewhere?: { readonly file: string; readonly line: number },
  ): void;
  has(offset: number, path: SettingPath): boolean;
  /** The line of an offset, counted from 1. */
  lineOf(offset: number): number;
  sorted(): readonly Problem[];
}

export function createProblemList(file: string, locate: (offset: number) => Position): ProblemList {
  const places = new Set<string>();
  const placeOf = (offset: number, path: SettingPath) => `${offset} ${formatPath(path)}`;
  const problems = new Map<string, { readonly at: Position; readonly problem: Problem }>();
  return {
    add(offset, path, found, message, elsewhere) {
      const at = locate(offset);
      const place = elsewhere ? { ...elsewhere, column: 1 } : { file, ...at };
      const problem = { ...place, path: formatPath(path), found, message };
      problems.set(JSON.stringify(problem), { at, problem });
      places.add(placeOf(offset, path));
    },
    has: (offset, path) => places.has(placeOf(offset, path)),
    lineOf: (offset) => locate(offset).line,
    sorted() {
      const allProblems = [...problems.values()]
        .sort(
          (a, b) =>
            a.at.line - b.at.line ||
            a.at.column - b.at.column ||
            a.problem.path.localeCompare(b.problem.path),
        )
        .map(({ problem }) => problem);
      const shownProblems = allProblems.slice(0, MAX_PROBLEMS);
      const lastShown = shownProblems.at(-1);
      if (lastShown === undefined || allProblems.length === shownProblems.length)
        return shownProblems;
      const moreText = `${allProblems.length - shownProblems.length} more problems`;
      return [
        ...shownProblems,
        { ...lastShown, path: '', found: moreText, message: 'fix the ones above first' },
      ];
    },
  };
}
