import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { HOSTILE_STATEMENTS, USEFUL_STATEMENTS } from '../../test-kit/statements.ts';
import { judgeStatement } from './gate.ts';

describe('one read-only statement a request (spec 4.3)', () => {
  test.each(USEFUL_STATEMENTS)('an analyst may ask: %s', (sql) => {
    expect(judgeStatement(sql)).toEqual({ kind: 'passed' });
  });

  test.each(HOSTILE_STATEMENTS)('is refused: %s', (sql) => {
    expect(judgeStatement(sql)).toMatchObject({ kind: 'refused' });
  });

  test('a statement of 65,536 characters passes, one more does not (spec 8)', () => {
    const longest = 'SELECT 1'.padEnd(65_536);
    expect(judgeStatement(longest)).toEqual({ kind: 'passed' });
    expect(judgeStatement(`${longest} `)).toMatchObject({ kind: 'refused' });
  });

  test('words of a refused clause are free inside strings, comments and quoted names', () => {
    const sql =
      'SELECT \'SETTINGS\' AS "settings", $a$file($a$ AS b /* INTO OUTFILE */ -- EXPLAIN\n, `into` FROM events';
    expect(judgeStatement(sql)).toEqual({ kind: 'passed' });
  });

  test('the message of a refusal says what is not allowed', () => {
    expect(judgeStatement('SELECT 1 SETTINGS x = 1')).toEqual({
      kind: 'refused',
      message: 'SETTINGS is not allowed.',
    });
    expect(judgeStatement('SELECT * FROM system.users')).toEqual({
      kind: 'refused',
      message: 'The table system.users is not available; query events_distributed.',
    });
  });
});

test('no spelling brings a denied name through: case, comments, quotes, place (seeded)', () => {
  const random = seededRandom();
  const names = ['file', 'mergeTreeIndex', 'dictGetString', 'getServerSetting', 'joinGet'] as const;
  const gaps = ['', ' ', '\n', '\t/* ; */', ' -- x\n', '/**/', '# y\n', '\f'] as const;
  const places = [
    (call: string) => `SELECT ${call}`,
    (call: string) => `SELECT 1 WHERE ${call} = ''`,
    (call: string) => `SELECT * FROM (SELECT ${call})`,
    (call: string) => `WITH x AS (SELECT ${call}) SELECT * FROM x`,
    (call: string) => `SELECT 1 UNION ALL SELECT ${call}`,
    (call: string) => `SELECT arrayMap(x -> ${call}, [1])`,
    (call: string) => `SELECT 1.5e3+${call}`,
    (call: string) => `SELECT 'a''b\\'', ${call}`,
    (call: string) => `SELECT $q$'$q$||${call}`,
  ] as const;
  for (let round = 0; round < 2000; round += 1) {
    const spelled = Array.from(random.pick(names), (char) =>
      random.below(2) === 0 ? char.toUpperCase() : char,
    ).join('');
    const quote = random.pick(['', '`', '"']);
    const call = `${quote}${spelled}${quote}${random.pick(gaps)}('x')`;
    const sql = `${random.pick(gaps)}${random.pick(places)(random.pick(gaps) + call)}`;
    expect(judgeStatement(sql), sql).toMatchObject({ kind: 'refused' });
  }
});

test('any text gets a verdict (seeded)', () => {
  const random = seededRandom();
  const pieces = [
    'SELECT',
    'FROM',
    'JOIN',
    'AS',
    'WITH',
    'FORMAT',
    'events',
    "'",
    '"',
    '`',
    '$',
    '$a$',
    '(',
    ')',
    ',',
    ';',
    '.',
    '--',
    '/*',
    '*/',
    '#',
    '\\',
    '\n',
    ' ',
    '1e',
    '0x',
    '-',
    '\u0000',
    '\ud800',
    'ä',
    '\ufeff',
  ] as const;
  for (let round = 0; round < 5000; round += 1) {
    const length = random.below(30);
    const sql = Array.from({ length }, () => random.pick(pieces)).join('');
    expect(['passed', 'refused']).toContain(judgeStatement(sql).kind);
  }
});
