import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { hasPhp } from '../../../test/kit/tools.ts';
import { visit } from '../../../test/kit/visitors/visitors.ts';
import { compileParameter } from './query-parameter.ts';

const lenient = `
- { name: feed, match: { query: { format: rss } }, verdict: allow }
- { name: rest, match: {}, verdict: block }`;
const strict = '[{ name: debug, match: { query: { format: rss } }, verdict: block }]';

async function decisionOn(rules: string, query: string, path = '/'): Promise<string> {
  return (await validatorWith(rules).ask(visit({ url: `https://shop.example${path}${query}` })))
    .decision;
}

describe('a rule with a condition on a parameter of the query', () => {
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
  ])('%s: %s', async (query, matchesRule) => {
    expect(await decisionOn(lenient, query)).toBe(matchesRule ? 'allow' : 'block');
    expect(await decisionOn(strict, query)).toBe(matchesRule ? 'block' : 'allow');
  });

  test.each(['?format=rss&format=html', '?format=html&format=rss', '?FORMAT=html&format=rss'])(
    'a parameter sent twice, %s, matches only strict rules, because an origin can use either value',
    async (query) => {
      expect(await decisionOn(strict, query)).toBe('block');
      expect(await decisionOn(lenient, query)).toBe('block');
    },
  );

  test.each([
    ...['format[]', 'format[x]', 'format%5B%5D', '%20format', '+format', '%09format', 'format%20'],
    ...[
      'format%00',
      'format%00x',
      'format.x',
      'format[',
      '[format]',
      'a=1;format',
      ';format',
      '?format',
      'x&;FORMAT',
    ],
  ])(
    'another spelling of the name, %s, matches only strict rules, because some origins accept it',
    async (name) => {
      expect(await decisionOn(strict, `?${name}=rss`)).toBe('block');
      expect(await decisionOn(lenient, `?${name}=rss`)).toBe('block');
      expect(await decisionOn(lenient, `?format=rss&${name}=rss`)).toBe('allow');
      expect(await decisionOn(lenient, `?format=rss&${name}=html`)).toBe('block');
    },
  );

  test.each([
    '?formatx[]=rss',
    '?x[format]=rss',
    '?x.format=rss',
    '?format=html;x=rss',
    '?%00format',
  ])('%s matches no rule', async (query) => expect(await decisionOn(strict, query)).toBe('allow'));

  test('for some origins a value ends at ";", so rules test the value with and without this end', async () => {
    expect(await decisionOn(strict, '?format=rss;x=1')).toBe('block');
    expect(await decisionOn(strict.replace('rss', '"rss;x"'), '?format=rss;x')).toBe('block');
    expect(await decisionOn(lenient, '?format=rss;x=1')).toBe('block');
  });

  test('"+" is a blank, and a pattern can be a glob, a regular expression or the empty value', async () => {
    const rules = (pattern: string) =>
      `[{ name: r, match: { query: { q: ${pattern} } }, verdict: block }]`;
    expect(await decisionOn(rules('"a b"'), '?q=a+b')).toBe('block');
    expect(await decisionOn(rules('"a*"'), '?q=a/b')).toBe('block');
    expect(await decisionOn(rules("{ regex: '^$' }"), '?q')).toBe('block');
    expect(await decisionOn(rules("{ regex: '^$' }"), '?q=1')).toBe('allow');
  });

  test('some routers read ";" or an escaped "?" in the path as the beginning of the query, so rules test this query too', async () => {
    const strictAtA = strict.replace('match: {', 'match: { path: /a,');
    const lenientBelow = lenient.replace('match: {', 'match: { path: /**,');
    const paths = [
      '/a;format=rss',
      '/a;x=1&format=rss',
      '/a;;FORMAT[]=rss',
      // A proxy in front of the router can decode the path.
      '/a%3bformat=rss',
      '/a;format%3drss',
      '/a;x=1%26format=rss',
      '/a%253Bformat%253Drss',
      '/a%3fformat=rss',
      '/a%3Fx=1;format=rss',
      '/a%253fx=1&format%253drss',
      '/a%25%33%66format=rss',
      '/a%%33%62format=rss',
    ];
    for (const path of paths) {
      expect(await decisionOn(strictAtA, '', path), path).toBe('block');
      expect(await decisionOn(lenientBelow, '?format=rss', path), path).toBe('block');
    }
    expect(await decisionOn(strictAtA, '?page=2', '/a;format=rss&x')).toBe('block');
    expect(await decisionOn(strictAtA, '?format=rss', '/a;x')).toBe('block');
    expect(await decisionOn(strictAtA, '?format=html', '/a;x')).toBe('allow');
    expect(await decisionOn(lenientBelow, '?format=rss', '/a;format=html')).toBe('block');
    expect(await decisionOn(lenientBelow, '?&format=rss', '/a%3bformat=html')).toBe('block');
    expect(await decisionOn(lenientBelow, '?x=1&format=rss', '/a;v=1')).toBe('allow');
  });

  test('all parameters of a rule must match, even when the path has several readings', async () => {
    const rulesForBoth =
      '[{ name: r, match: { path: /a, query: { x: "1", y: "2" } }, verdict: block }]';
    expect(await decisionOn(rulesForBoth, '?y=2&x=1', '/a')).toBe('block');
    expect(await decisionOn(rulesForBoth, '?y=2&x=1', '//a')).toBe('block');
    expect(await decisionOn(rulesForBoth, '?y=2', '/a')).toBe('allow');
  });
});

/** A PHP program. Each line of its input is one query as JSON. It prints the names of the parameters of this query. */
const PARSE_STR = `while (($line = fgets(STDIN)) !== false) {
  parse_str(json_decode($line), $sent);
  echo json_encode(array_keys($sent), JSON_INVALID_UTF8_SUBSTITUTE), "\\n";
}`;

test.skipIf(!hasPhp)('a strict rule finds every parameter that PHP finds', () => {
  const random = seededRandom();
  console.log(`parameters of PHP: seed ${random.seed}`);
  const pieces = ['q', 'q', 'q_x', '_', 'x', '[', ']', '.', '+', '%20', '%00', '%5B', '%5d', '%2E', ';', '&', '=1', '=1'] as const; // prettier-ignore
  const queries = Array.from({ length: 5_000 }, () =>
    Array.from({ length: 1 + random.below(6) }, () => random.pick(pieces)).join(''),
  );
  const input = queries.map((query) => JSON.stringify(query)).join('\n');
  const { stdout } = spawnSync('php', ['-r', PARSE_STR], { input, encoding: 'utf8' });
  const namesOfQueries = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown[]);
  expect(namesOfQueries).toHaveLength(queries.length);
  for (const name of ['q', 'q_x']) {
    const holds = compileParameter(name, () => true, 'some');
    const queriesWithName = queries.filter((_, index) => namesOfQueries[index]?.includes(name));
    expect(queriesWithName.length).toBeGreaterThan(100);
    expect(
      queriesWithName.filter((query) => !holds(query)),
      `${name}, seed ${random.seed}`,
    ).toEqual([]);
  }
});
