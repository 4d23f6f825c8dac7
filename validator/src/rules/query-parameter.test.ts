import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/validator.ts';
import { visit } from '../../../test/kit/visitors.ts';

const lenient = `
- { name: feed, match: { query: { format: rss } }, verdict: allow }
- { name: rest, match: {}, verdict: block }`;
const strict = '[{ name: debug, match: { query: { format: rss } }, verdict: block }]';

async function decided(rules: string, query: string, path = '/'): Promise<string> {
  return (await validatorWith(rules).ask(visit({ url: `https://shop.example${path}${query}` })))
    .decision;
}

describe('a parameter of the query has a value', () => {
  test.each([
    ['?format=rss', true],
    ['?page=2&format=rss&', true],
    ['?Format=rss', true],
    ['?%66ormat=r%73s', true],
    ['', false],
    ['?', false],
    ['?format', false],
    ['?format=', false],
    ['?format=rss2', false],
    ['?xformat=rss', false],
    ['?format=html&x=format=rss', false],
    ['?format=html#format=rss', false],
    ['?format==rss', false],
  ])('%s: %s', async (query, holds) => {
    expect(await decided(lenient, query)).toBe(holds ? 'allow' : 'block');
    expect(await decided(strict, query)).toBe(holds ? 'block' : 'allow');
  });

  test.each(['?format=rss&format=html', '?format=html&format=rss', '?FORMAT=html&format=rss'])(
    'sent twice, %s: an origin may take either value, so what is strict holds and what is lenient does not',
    async (query) => {
      expect(await decided(strict, query)).toBe('block');
      expect(await decided(lenient, query)).toBe('block');
    },
  );

  test('+ is a blank, and a value may be a glob, a regular expression or empty', async () => {
    const rules = (pattern: string) =>
      `[{ name: r, match: { query: { q: ${pattern} } }, verdict: block }]`;
    expect(await decided(rules('"a b"'), '?q=a+b')).toBe('block');
    expect(await decided(rules('"a*"'), '?q=a/b')).toBe('block');
    expect(await decided(rules("{ regex: '^$' }"), '?q')).toBe('block');
    expect(await decided(rules("{ regex: '^$' }"), '?q=1')).toBe('allow');
  });

  test('all given parameters must hold, and a path that has several readings changes nothing', async () => {
    const both = '[{ name: r, match: { path: /a, query: { x: "1", y: "2" } }, verdict: block }]';
    expect(await decided(both, '?y=2&x=1', '/a')).toBe('block');
    expect(await decided(both, '?y=2&x=1', '//a')).toBe('block');
    expect(await decided(both, '?y=2', '/a')).toBe('allow');
  });
});
