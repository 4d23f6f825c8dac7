import { expect, test } from 'vitest';
import { QUERY } from '@guard/config/contract/limits';
import { fillIn } from './parameters.ts';

test('contract 8: the limit of a statement also holds when it uses one value many times', () => {
  const sql = `SELECT ${Array(6_500).fill('{a:UInt8}').join()}`;
  const message = `With the values of its parameters the statement has more than ${QUERY.maxStatementChars} characters.`;
  expect(fillIn(sql, new Map([['a', '1'.repeat(10_000)]]))).toEqual({ kind: 'refused', message });
  expect(
    fillIn('SELECT {a:String} + {b:UInt8}', new Map(Object.entries({ a: 'x', b: '1' }))),
  ).toEqual({
    kind: 'filled',
    sql: "SELECT 'x' + CAST('1', 'UInt8')",
  });
});
