import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatProblem, parseSettings } from './load.ts';

interface Mistakes {
  readonly env: Readonly<Record<string, string>>;
  readonly file: string;
  readonly mistakes: readonly {
    readonly mistake: string;
    readonly change: readonly [from: string, to: string];
    readonly says: string;
  }[];
}

const fixture = new URL('../../fixtures/typing-mistakes.yaml', import.meta.url);
const { env, file, mistakes } = parse(readFileSync(fixture, 'utf8')) as Mistakes;

test('the file without a mistake is good, and there are at least thirty mistakes', () => {
  expect(problemsOf(file)).toEqual([]);
  expect(mistakes.length).toBeGreaterThanOrEqual(30);
});

test.each(mistakes)(
  'a single message names the position and the mistake: $mistake',
  ({ change, says }) => {
    const [from, to] = change;
    expect(file.split(from).length).toBeGreaterThan(1);
    expect(problemsOf(file.replace(from, () => to))).toEqual([says]);
  },
);

function problemsOf(text: string): string[] {
  const result = parseSettings(text, { file: 'guard.yaml', baseDir: tmpdir(), env });
  const problems = result.kind === 'invalid' ? result.problems : [];
  return problems.map((problem) => formatProblem(problem).replace('guard.yaml:', ''));
}
