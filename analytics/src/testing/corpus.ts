import { globSync, readFileSync } from 'node:fs';

/** Statements of src/testing/corpora that attempt the same attack. */
interface Attempt {
  readonly tries: string;
  readonly statements: readonly string[];
}

const FOLDER = new URL('./corpora/', import.meta.url).pathname;

/** Reads the files that match `pattern`. src/testing/corpora/README.md describes the format. */
export function readCorpus(pattern: string): readonly Attempt[] {
  const files = globSync(pattern, { cwd: FOLDER }).sort();
  const attempts = files.flatMap((file) => parse(readFileSync(FOLDER + file, 'utf8')));
  if (attempts.length === 0) throw new Error(`No statements in ${pattern}`);
  return attempts;
}

/** The statements of all attempts, in order. */
export function statementsOf(attempts: readonly Attempt[]): string[] {
  return attempts.flatMap(({ statements }) => statements);
}

function parse(text: string): Attempt[] {
  const attempts: { tries: string; statements: string[] }[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) attempts.push({ tries: line.slice(2), statements: [] });
    else if (line !== '') attempts.at(-1)?.statements.push(unescape(line));
  }
  return attempts;
}

function unescape(line: string): string {
  return line.replaceAll(/<U\+([0-9A-F]{4})>/g, (_whole, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
