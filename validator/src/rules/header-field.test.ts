import { expect, test } from 'vitest';
import { matches } from '../../../test/kit/product/rule-matches.ts';
import { chromeHttps, visit } from '../../../test/kit/visitors/visitors.ts';

const STRICT = { header: { 'x-debug': '1' } };
const DOUBLE_NEGATION = { not: { not: STRICT } };
const requestWith = (headers: Readonly<Record<string, string>>) =>
  visit({ headers: { ...chromeHttps, ...headers } });

test.each([
  ['the field', { 'x-debug': '1' }],
  ['the field sent twice', { 'x-debug': '1, 1' }],
  ['another value before the value', { 'x-debug': '0, 1' }],
  ['another value after the value', { 'x-debug': '1,0' }],
  ['an empty value after the value', { 'x-debug': '1, ' }],
  ['the name with an underscore, as in CGI', { x_debug: '1' }],
  [
    'the name with an underscore, and the usual name with another value',
    { 'x-debug': '0', x_debug: '0, 1' },
  ],
])('a blocking rule matches %s', async (_, headers) => {
  expect(await matches(STRICT, requestWith(headers))).toBe(true);
});

test.each([
  ['another value', { 'x-debug': '11' }],
  ['another name', { 'x-debugs': '1', xdebug: '1' }],
])('a blocking rule does not match %s', async (_, headers) => {
  expect(await matches(STRICT, requestWith(headers))).toBe(false);
});

test('an element of a list is no match, because browsers send */* after other types', async () => {
  expect(await matches({ header: { accept: 'text/html' } }, requestWith({}))).toBe(false);
});

test('a double negation matches like a blocking rule', async () => {
  expect(await matches(DOUBLE_NEGATION, requestWith({ x_debug: '1' }))).toBe(true);
});
