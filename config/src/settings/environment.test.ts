import { expect, test } from 'vitest';
import { substitute } from './environment.ts';

const env = { NAME: 'value', BRACES: '${NAME}', EMPTY: '', _x1: 'y' };

test.each([
  ['plain', 'plain', false],
  ['${NAME}', 'value', true],
  ['a-${NAME}-${_x1}', 'a-value-y', true],
  // What a variable holds is not looked at again.
  ['${BRACES}', '${NAME}', true],
  ['$${NAME}', '${NAME}', false],
  ['$NAME $ {NAME} $', '$NAME $ {NAME} $', false],
])('%s becomes %s', (text, value, interpolated) => {
  expect(substitute(text, env)).toEqual({ value, interpolated, missing: [] });
});

test('every variable that is missing or empty is named, and so is what is no variable', () => {
  const { value, missing } = substitute('${A}${EMPTY}${NAME}${A-B}${toString} ${open', env);
  expect(value).toBeUndefined();
  expect(missing.map(({ kind, written }) => `${kind} ${written}`)).toEqual([
    'unset ${A}',
    'unset ${EMPTY}',
    'malformed ${A-B}',
    'unset ${toString}',
    'malformed ${open',
  ]);
  expect(missing[1]?.message).toBe('the environment variable EMPTY is empty; give it a value');
});
