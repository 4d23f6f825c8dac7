import { describe, expect, test } from 'vitest';
import { newSeed } from './seeds.ts';
import type { Seed } from './seeds.ts';
import { seedsOfUserAgentList } from './user-agent-names.ts';

const isNeverSoftware = () => false;

function seedsOf(
  entries: readonly { pattern: string; instances?: string[]; tags?: string[]; url?: string }[],
  knownSeeds: readonly Seed[] = [],
  isSoftware: (userAgent: string) => boolean = isNeverSoftware,
): Seed[] {
  const list = entries.map((entry) => ({ instances: [], tags: ['monitoring'], ...entry }));
  return seedsOfUserAgentList(list, knownSeeds, isSoftware);
}

describe('the token of a listed agent', () => {
  test.each([
    ['ExampleBot\\/', 'Mozilla/5.0 (compatible; ExampleBot/1.0)', ['ExampleBot'], []],
    // The pattern ends inside a word, so the token is extended to the whole word.
    ['trendbot', 'Mozilla/5.0 (compatible; trendbot0.5.0)', ['trendbot0'], []],
    // An everyday word is searched only at the beginning of the User-Agent, and after `compatible; `.
    ['Sonic', 'Sonic/1.0', [], ['Sonic']],
    ['Sonic', 'Mozilla/5.0 (compatible; Sonic/1.0)', ['compatible; Sonic'], []],
    [';Owler', 'Mozilla/5.0 (robot;Owler/1)', ['Owler'], []],
    ['exactbot\\.example', undefined, ['exactbot.example'], []],
  ])(
    'the pattern %s in %s gives the tokens %j, and %j for the beginning only',
    (pattern, sample, contains, startsWith) => {
      const instances = sample === undefined ? [] : [sample];
      expect(seedsOf([{ pattern, instances }])).toMatchObject([{ contains, startsWith }]);
    },
  );

  test('is not used when crawlers.txt or a list of other software has it', () => {
    const instances = ['ExampleBot/1.0'];
    const knownSeed = newSeed('Example', 'Example Ltd', 'Other', ['ExampleBot']);
    expect(seedsOf([{ pattern: 'ExampleBot', instances }], [knownSeed])).toEqual([]);
    expect(seedsOf([{ pattern: 'ExampleBot', instances }], [], () => true)).toEqual([]);
  });

  test('is an error when a crawler of crawlers.txt has the same name but not this token, and the message names the crawler', () => {
    const knownSeed = newSeed('ExampleBot', 'Example Ltd', 'Other', ['Example-Bot']);
    expect(() => seedsOf([{ pattern: 'ExampleBot' }], [knownSeed])).toThrow('ExampleBot needs');
  });

  test('goes into one seed with the tokens of the other entries of its agent', () => {
    const seeds = seedsOf([
      { pattern: 'ExampleBot', instances: ['Mozilla/5.0 (ExampleBot (one)'] },
      { pattern: 'ExampleBot_2', instances: ['Mozilla/5.0 (ExampleBot_2; two)'] },
      { pattern: 'Harbour Check', instances: ['Harbour Check'] },
      { pattern: 'harbour-check', instances: ['harbour-check/1'] },
    ]);
    expect(seeds).toMatchObject([
      { name: 'ExampleBot', contains: ['ExampleBot', 'ExampleBot_2'] },
      { name: 'Harbour Check', contains: ['Harbour Check', 'harbour-check'] },
    ]);
  });
});

test.each([
  [['search-engine'], 'Search Engine'],
  [['search-engine', 'ai-crawler'], 'AI Search'],
  [['ai-crawler'], 'AI Training'],
  [['social-preview'], 'Preview'],
  [['scanner', 'academic'], 'Security'],
  // The list gives the tag `seo` to all agents that fit no other tag, so the tag alone does not show that an agent is
  // an SEO tool.
  [['seo'], 'Other'],
])('an agent with the tags %j has the category %s', (tags, category) => {
  expect(seedsOf([{ pattern: 'ExampleBot', tags }])).toMatchObject([{ category }]);
});

test('an agent with the tag seo is an SEO tool when its name says this too', () => {
  expect(seedsOf([{ pattern: 'ExampleRankBot', tags: ['seo'] }])).toMatchObject([
    { category: 'SEO Tool' },
  ]);
});

test.each(['http-library', 'browser-automation'])(
  'software with the tag %s is not a crawler',
  (tag) => {
    expect(seedsOf([{ pattern: 'ExampleBot', tags: [tag] }])).toEqual([]);
  },
);

test.each([
  ['https://www.harbour.example/bot', 'Harbour'],
  ['https://bots.quay.co.uk/', 'quay.co.uk'],
  ['https://github.com/harbour/bot', 'Unknown'],
  ['http://192.0.2.1/', 'Unknown'],
  ['not a URL', 'Unknown'],
])('the operator behind %s is %s', (url, operator) => {
  const knownSeed = newSeed('HarbourBot', 'Harbour', 'Other');
  expect(seedsOf([{ pattern: 'ExampleBot', url }], [knownSeed])).toMatchObject([{ operator }]);
});
