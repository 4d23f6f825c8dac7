import { describe, expect, test } from 'vitest';
import { rounds, seededRandom } from '../../../test/kit/seeded-random.ts';
import { readCorpus, statementsOf } from '../testing/corpus.ts';
import { dressStatement } from '../testing/dress-statement.ts';
import { randomStatement } from '../testing/random-statement.ts';
import { judgeStatement } from './gate.ts';

const ROUNDS = rounds(20_000, 1_000_000);
const LONG = { timeout: 600_000 };

describe('the gate lets one read-only statement pass (contract 4.3)', () => {
  test.each(readCorpus('useful/*.txt'))(
    'a statement that an analyst needs passes: $tries',
    ({ statements }) => {
      for (const sql of statements) expect(judgeStatement(sql), sql).toEqual({ kind: 'passed' });
    },
  );

  test.each(readCorpus('{held,bombs}.txt'))(
    'a statement that only the account limits passes: $tries',
    ({ statements }) => {
      for (const sql of statements) expect(judgeStatement(sql), sql).toEqual({ kind: 'passed' });
    },
  );

  test.each(readCorpus('hostile/*.txt'))(
    'a hostile statement is refused: $tries',
    ({ statements }) => {
      for (const sql of statements) {
        expect(judgeStatement(sql), sql).toMatchObject({ kind: 'refused' });
      }
    },
  );

  test('the corpora have at least 250 hostile statements and 150 useful ones', () => {
    expect(new Set(statementsOf(readCorpus('hostile/*.txt'))).size).toBeGreaterThanOrEqual(250);
    expect(new Set(statementsOf(readCorpus('useful/*.txt'))).size).toBeGreaterThanOrEqual(150);
  });

  test.each([
    ['an empty statement', ''],
    ['ten thousand parentheses that close', nestStatement('SELECT ', '(', '1', ')', 10_000)],
    ['ten thousand brackets', nestStatement('SELECT ', '[', "file('x')", ']', 10_000)],
    [
      'ten thousand subqueries',
      nestStatement('', 'SELECT * FROM (', 'SELECT * FROM system.one', ')', 3000),
    ],
    ['thirty thousand comments', `SELECT ${'/**/'.repeat(15_000)} file('x')`],
    ['a long chain of operators', `SELECT ${'1+'.repeat(30_000)}file('x')`],
    ['a long word', `SELECT ${'x'.repeat(65_000)}, file('x')`],
  ])('a statement gets its verdict without recursion: %s', (_what, sql) => {
    expect(['passed', 'refused']).toContain(judgeStatement(sql).kind);
    if (!sql.endsWith('1'.padEnd(10_001, ')'))) {
      expect(judgeStatement(sql)).toMatchObject({ kind: 'refused' });
    }
  });

  test('a statement of 65,536 characters passes; a statement with one character more is refused (contract 8)', () => {
    const longest = 'SELECT 1'.padEnd(65_536);
    expect(judgeStatement(longest)).toEqual({ kind: 'passed' });
    expect(judgeStatement(`${longest} `)).toMatchObject({ kind: 'refused' });
  });

  test('words of a refused clause are allowed in strings, comments and quoted names', () => {
    const sql =
      'SELECT \'SETTINGS\' AS "settings", $a$file($a$ AS b /* INTO OUTFILE */ -- EXPLAIN\n, `into` FROM events';
    expect(judgeStatement(sql)).toEqual({ kind: 'passed' });
  });

  test('the message of a refusal says what is not allowed', () => {
    expect(judgeStatement('SELECT 1 SETTINGS x = 1')).toEqual({
      kind: 'refused',
      message: 'SETTINGS is not allowed: the limits of a statement are fixed.',
    });
    expect(judgeStatement('SELECT * FROM system.users')).toEqual({
      kind: 'refused',
      message: 'The table system.users is not available; query events_distributed.',
    });
  });
});

test(
  'a hostile statement is refused in upper and lower case, with comments and quotes, and inside other statements (seeded)',
  LONG,
  () => {
    const random = seededRandom();
    const [first = '', ...rest] = statementsOf(readCorpus('hostile/*.txt'));
    for (let round = 0; round < ROUNDS; round += 1) {
      const sql = dressStatement(random.pick([first, ...rest]), random);
      const { kind } = judgeStatement(sql);
      if (kind !== 'refused') expect.fail(`seed ${random.seed}: ${sql}`);
    }
  },
);

function nestStatement(
  before: string,
  open: string,
  inside: string,
  close: string,
  times: number,
): string {
  return before + open.repeat(times) + inside + close.repeat(times);
}

test('any text gets a verdict, and no text causes an exception (seeded)', () => {
  const random = seededRandom();
  for (let round = 0; round < 5000; round += 1) {
    const sql = randomStatement(random, 30) + random.pick(['', '\ud800', '\ufeff']);
    expect(['passed', 'refused']).toContain(judgeStatement(sql).kind);
  }
});
