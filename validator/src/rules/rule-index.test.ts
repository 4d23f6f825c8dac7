import { compileFoldedGlob, foldPath, literalFolder } from '@guard/config/matching/glob';
import { readingsOf } from '@guard/config/matching/path-readings';
import { Rule } from '@guard/config/settings/sections/rule';
import { atOnce } from '@guard/config/time/slices';
import { expect, test } from 'vitest';
import { rounds, type SeededRandom, seededRandom } from '../../../test/kit/seeded-random.ts';
import type { Facts } from '../request/facts.ts';
import { factsOf } from '../signals/testing/facts.ts';
import { compileRules, findDirectives } from './directives.ts';
import { END, type FindRules, RuleIndex } from './rule-index.ts';

const NO_FINDINGS = { all: () => [] };
const HOSTS = [
  'shop.example',
  'a.shop.example',
  'b.a.shop.example',
  'other.example',
  '[::1]',
] as const;
const HOST_PATTERNS = [
  '*',
  '*.shop.example',
  '*.example',
  'SHOP.example',
  '[0:0::1]',
  ...HOSTS,
] as const;
const METHODS = ['GET', 'POST', 'PUT'] as const;
const PATH_SEGMENTS = [
  'a',
  'b',
  'A',
  'ab',
  '',
  '**',
  '*',
  'a*',
  '?',
  '*b',
  'a**',
  '..',
  '%61',
  ';x',
] as const;

function randomList<T>(random: SeededRandom, make: () => T): T[] {
  return Array.from({ length: 1 + random.below(3) }, make);
}

function randomPath(random: SeededRandom): string {
  return `/${randomList(random, () => random.pick(PATH_SEGMENTS)).join('/')}`;
}

/** A random match, with some conditions that the index reads and some that it does not read. */
function randomMatch(random: SeededRandom, depth = 0): Record<string, unknown> {
  const maybe = (share: number, name: string, make: () => unknown) =>
    random.next() < share ? { [name]: make() } : {};
  return {
    ...maybe(0.4, 'host', () => randomList(random, () => random.pick(HOST_PATTERNS))),
    ...maybe(0.5, 'path', () =>
      randomList(random, () => (random.below(8) === 0 ? { regex: '/a+b?' } : randomPath(random))),
    ),
    ...maybe(0.3, 'method', () => randomList(random, () => random.pick(['get', ...METHODS]))),
    ...maybe(0.1, 'header', () => ({ 'x-a': '1*' })),
    ...(depth === 2 ? {} : maybe(0.1, 'not', () => randomMatch(random, depth + 1))),
    ...(depth === 2
      ? {}
      : maybe(0.1, 'any', () => randomList(random, () => randomMatch(random, depth + 1)))),
  };
}

function randomRule(random: SeededRandom, number: number): Rule {
  const directives: readonly [object, ...object[]] = [
    { verdict: 'allow' },
    { verdict: 'block' },
    { detect: true },
    { detect: false },
    { challenge: 'always' },
    { challenge: 'never' },
    { monitor: true },
    { rate_limit: { requests: 1, per: '1m' } },
  ];
  const set = Object.assign({}, ...randomList(random, () => random.pick(directives))) as object;
  return Rule.parse({ name: `rule ${number}`, match: randomMatch(random), ...set });
}

function randomFacts(random: SeededRandom): Facts {
  const readings = readingsOf(randomPath(random).replace(/[*?]/g, 'b'));
  const paths = readings === undefined ? ['/'] : readings;
  return factsOf(
    { 'x-a': random.pick(['1', '2']) },
    {
      url: {
        scheme: 'https',
        host: random.pick([...HOSTS, 'Shop.Example', 'shop.example.', 'a b', '']),
        path: paths[0] ?? '/',
        query: '',
      },
      method: random.pick([...METHODS, 'PATCH']),
      paths,
      foldedPaths: paths.map(foldPath),
    },
  );
}

/** A search that returns all rules one after the other. */
function searchAll(count: number): FindRules {
  return {
    find() {
      let place = 0;
      return { next: () => (place < count ? place++ : END) };
    },
  };
}

test('the index gives the same directives as a test of all rules one after the other', () => {
  const random = seededRandom();
  let decidedCount = 0;
  let comparedCount = 0;
  let ruleCount = 0;
  for (let round = 0; round < rounds(60, 2_000); round++) {
    const count = 1 + random.below(40);
    const rules = atOnce(
      compileRules({
        organisation: 'acme',
        rules: Array.from({ length: count }, (_, number) => randomRule(random, number)),
      }),
    );
    for (let visit = 0; visit < 40; visit++) {
      const facts = randomFacts(random);
      const search = rules.index.find(facts);
      while (search.next() !== END) comparedCount += 1;
      ruleCount += rules.list.length;
      const expected = findDirectives(
        { ...rules, index: searchAll(rules.list.length) },
        facts,
        NO_FINDINGS,
      );
      expect(findDirectives(rules, facts, NO_FINDINGS), `seed ${random.seed}`).toEqual(expected);
      if (expected.verdict !== undefined) decidedCount += 1;
    }
  }
  // This shows that some rules matched, and that the index left some rules out.
  expect(decidedCount).toBeGreaterThan(100);
  expect(comparedCount).toBeLessThan(0.9 * ruleCount);
});

test('a path that matches a glob is the folder of this glob, or is inside this folder', () => {
  const random = seededRandom();
  let matchedCount = 0;
  for (let round = 0; round < rounds(20_000, 500_000); round++) {
    const glob = randomPath(random);
    const folder = literalFolder(glob);
    const path = foldPath(randomPath(random).replace(/[*?]/g, 'b'));
    if (folder === undefined || !compileFoldedGlob(glob)(path)) continue;
    matchedCount += 1;
    const isInside = path === folder || path.startsWith(`${folder}/`);
    expect(isInside, `seed ${random.seed}: ${glob} and ${path}`).toBe(true);
  }
  expect(matchedCount).toBeGreaterThan(20);
});

test('of 10,000 rules, a request is compared with only a few, in their order', () => {
  const matches = Array.from({ length: 10_000 }, (_, n) =>
    n % 2 === 0
      ? { host: [`h${n}.example`], path: [`/a/${n}/**`] }
      : { path: [`/a/${n}`], method: ['POST'] },
  );
  const index = atOnce(
    RuleIndex.build([{}, ...matches, { host: ['h4.example'] }, { path: ['/a/4/x/**'] }]),
  );
  const facts = factsOf(
    {},
    {
      url: { scheme: 'https', host: 'h4.example', path: '', query: '' },
      foldedPaths: ['/a/4/x/y'],
    },
  );
  const search = index.find(facts);
  const places = Array.from({ length: 6 }, () => search.next());
  expect(places).toEqual([0, 5, 10_001, 10_002, END, END]);
});
