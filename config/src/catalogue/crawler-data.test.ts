import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPublicRanges } from '../net/bogons.ts';
import { CrawlerFile, RSL_CATEGORIES } from './crawler-file.ts';
import { crawlerId } from './testing/crawler-id.ts';
import { CRAWLER_WIDTH_LIMIT } from './crawler-list.ts';
import { CrawlerCatalogue } from './crawlers.ts';
import { dataPath } from './data-path.ts';

const folder = dataPath('crawlers');
const files = readdirSync(folder).map((name) => ({
  name,
  file: CrawlerFile.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))),
}));
const entries = files.flatMap(({ file }) => file.crawlers);
const catalogue = CrawlerCatalogue.load();

/** The table of contract 2.4. It is repeated here, so that a change in the product makes the test fail. */
const PAIRS = `AI Agent=ai-all, AI Assistant=ai-input, AI Search=ai-input, AI Training=ai-train,
  Search Engine=search, Accessibility=all, Advertising=all, Aggregator=all, Archiver=all,
  Feed Readers=all, Monitoring=all, Other=all, Preview=all, Research=all, Scraper=all, Security=all,
  SEO Tool=all, Social Media=all`.split(/,\s+/);

describe('the bundled crawlers', () => {
  test('are at least 600, and every category of contract 2.4 has some of them', () => {
    expect(catalogue.all()).toHaveLength(entries.length);
    expect(entries.length).toBeGreaterThanOrEqual(600);
    expect(new Set(entries.map(({ category }) => category))).toEqual(
      new Set(Object.keys(RSL_CATEGORIES)),
    );
  });

  test('have a category and rsl_category that are one of the pairs of contract 2.4', () => {
    for (const { name, category, rsl_category } of entries) {
      expect(PAIRS, name).toContain(`${category}=${rsl_category}`);
    }
  });

  test('have the id that follows from their name, and no two have the same', () => {
    for (const { id, name } of entries) expect(id, name).toBe(crawlerId(name));
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    expect(new Set(entries.map(({ name }) => name.toLowerCase())).size).toBe(entries.length);
  });

  test('have ids that never change', () => {
    expect(crawlerId('Googlebot')).toBe('4492792e-8562-54bb-8793-d298e47d879e');
  });

  test('are identified by each of their tokens', () => {
    for (const { name, user_agent } of entries) {
      for (const token of user_agent.contains ?? []) {
        const userAgent = `Mozilla/5.0 (compatible; ${token}/1.0; +https://bot.example/)`;
        expect(catalogue.identify(userAgent)?.name, userAgent).toBe(name);
      }
      for (const token of user_agent.starts_with ?? []) {
        expect(catalogue.identify(`${token}/1.0`)?.name, token).toBe(name);
        expect(catalogue.identify(`Mozilla/5.0 ${token}/1.0`)?.name, token).not.toBe(name);
      }
    }
  });

  test('come from public ranges that are no wider than an operator can need', () => {
    for (const { name, file } of files) {
      if (!file.ranges.published) continue;
      const { v4, v6 } = file.ranges;
      expect(v4.length + v6.length, name).toBeGreaterThan(0);
      expect(readPublicRanges([...v4, ...v6], CRAWLER_WIDTH_LIMIT).refusals, name).toEqual({
        malformed: 0,
        bogon: 0,
        tooWide: 0,
      });
    }
  });
});

test('no browser that people use is identified as a crawler', () => {
  const browsers = readFileSync(
    join(import.meta.dirname, 'fixtures/browser-user-agents.txt'),
    'utf8',
  )
    .split('\n')
    .filter((line) => line !== '');
  expect(browsers.length).toBeGreaterThan(200);
  for (const userAgent of browsers)
    expect(catalogue.identify(userAgent)?.name, userAgent).toBeUndefined();
});
