import { describe, expect, test } from 'vitest';
import { newSeed } from './seeds.ts';
import type { Seed } from './seeds.ts';
import { seedsOfUserAgentList } from './user-agent-names.ts';

const nobody = () => false;

function seedsOf(
  entries: readonly { pattern: string; instances?: string[]; tags?: string[]; url?: string }[],
  known: readonly Seed[] = [],
  isSoftware: (userAgent: string) => boolean = nobody,
): Seed[] {
  const list = entries.map((entry) => ({ instances: [], tags: ['monitoring'], ...entry }));
  return seedsOfUserAgentList(list, known, isSoftware);
}

describe('the token of a listed agent', () => {
  test.each([
    ['ExampleBot\\/', 'Mozilla/5.0 (compatible; ExampleBot/1.0)', ['ExampleBot'], []],
    // The pattern is a part of the word.
    ['trendbot', 'Mozilla/5.0 (compatible; trendbot0.5.0)', ['trendbot0'], []],
    // An everyday word counts at the beginning, or behind "compatible;".
    ['Sonic', 'Sonic/1.0', [], ['Sonic']],
    ['Sonic', 'Mozilla/5.0 (compatible; Sonic/1.0)', ['compatible; Sonic'], []],
    [';Owler', 'Mozilla/5.0 (robot;Owler/1)', ['Owler'], []],
    ['exactbot\\.example', undefined, ['exactbot.example'], []],
  ])('%s in %s is %j, at the beginning alone %j', (pattern, sample, contains, startsWith) => {
    const instances = sample === undefined ? [] : [sample];
    expect(seedsOf([{ pattern, instances }])).toMatchObject([{ contains, startsWith }]);
  });

  test('is not used when crawlers.txt or a list of other software has it', () => {
    const instances = ['ExampleBot/1.0'];
    const known = newSeed('Example', 'Example Ltd', 'Other', ['ExampleBot']);
    expect(seedsOf([{ pattern: 'ExampleBot', instances }], [known])).toEqual([]);
    expect(seedsOf([{ pattern: 'ExampleBot', instances }], [], () => true)).toEqual([]);
  });

  test('that a crawler of crawlers.txt should have is an error that names it', () => {
    const known = newSeed('ExampleBot', 'Example Ltd', 'Other', ['Example-Bot']);
    expect(() => seedsOf([{ pattern: 'ExampleBot' }], [known])).toThrow('ExampleBot needs');
  });

  test('joins the entries of one agent', () => {
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
  // The default tag of the list has no meaning.
  [['seo'], 'Other'],
])('an agent with the tags %j has the category %s', (tags, category) => {
  expect(seedsOf([{ pattern: 'ExampleBot', tags }])).toMatchObject([{ category }]);
});

test('an agent with the tag and an SEO name is an SEO tool', () => {
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
  const known = newSeed('HarbourBot', 'Harbour', 'Other');
  expect(seedsOf([{ pattern: 'ExampleBot', url }], [known])).toMatchObject([{ operator }]);
});
