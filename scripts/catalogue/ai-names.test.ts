import { expect, test } from 'vitest';
import { seedsOfAiList } from './ai-names.ts';
import { newSeed } from './seeds.ts';

function agent(purpose: string, operator = 'Unclear at this time.') {
  return { operator, function: purpose };
}

test('a name that crawlers.txt has, a generic name, and a repeated name lead to no seed', () => {
  const list = {
    GPTBot: agent('Trains'),
    Spider: agent('AI Data Scrapers'),
    ExampleBot: agent('AI Assistants'),
    'ExampleBot/1.0': agent('AI Assistants'),
  };
  const seeds = seedsOfAiList(list, [newSeed('GPTBot', 'OpenAI', 'AI Training')]);
  expect(seeds.map(({ name }) => name)).toEqual(['ExampleBot']);
});

test.each([
  ['AI Agents', 'AI Agent'],
  ['AI Coding Agents', 'AI Agent'],
  ['AI Assistants', 'AI Assistant'],
  ['Crawls sites to provide answers to user queries.', 'AI Assistant'],
  ['AI Search Crawlers', 'AI Search'],
  ['Scrapes data to train LLMs', 'AI Training'],
  ['AI Data Providers', 'AI Training'],
  ['Scrapes data.', 'Scraper'],
  ['Undocumented AI Agents', 'Other'],
  ['', 'Other'],
])('an agent for "%s" has the category %s', (purpose, category) => {
  expect(seedsOfAiList({ ExampleBot: agent(purpose) }, [])[0]?.category).toBe(category);
});

test.each([
  ['[Example](https://example.com)', 'Example'],
  ['Example that builds an index', 'Example'],
  ['Example, a company', 'Example'],
  ['Unclear at this time.', 'Unknown'],
  ['https://example.com/bot', 'Unknown'],
])('the operator of "%s" is %s', (operator, name) => {
  expect(seedsOfAiList({ ExampleBot: agent('x', operator) }, [])[0]?.operator).toBe(name);
});
