import { expect, test } from 'vitest';
import { currentCode, isCountryCode } from './country-codes.ts';

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');

test('ISO 3166-1 has 249 countries and 42 user-assigned codes, such as XK', () => {
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  expect(codes.filter(isCountryCode)).toHaveLength(249 + 42);
  expect(isCountryCode('XK')).toBe(true);
});

test.each(['UK', 'EU', 'SU', 'UN', 'AC', 'AB'])('%s is no country of ISO 3166-1', (code) => {
  expect(isCountryCode(code)).toBe(false);
});

test('a withdrawn code of a country is replaced by its current code', () => {
  expect(['UK', 'ZR', 'DE', 'AA'].map(currentCode)).toEqual(['GB', 'CD', 'DE', 'AA']);
});
