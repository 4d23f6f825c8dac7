import { expect, test } from 'vitest';
import { CrawlerCatalogue } from '../../catalogue/crawlers.ts';
import { RSL_CATEGORIES } from '../../catalogue/crawler-file.ts';
import { Match } from '../sections/rule.ts';
import { PRESETS } from '../sections/preset-names.ts';
import { presetRules } from './preset-rules.ts';
import { linkPreviews, monitors, WEBHOOK_SENDERS } from './preset-matches.ts';

const allRules = presetRules({ presets: PRESETS, webhook_paths: ['/hooks/**'] });

test('no preset is on unless the settings name it', () => {
  expect(presetRules({ presets: [], webhook_paths: ['/hooks/**'] })).toEqual([]);
});

test('each preset gives one rule with `verdict: allow`, in a fixed order; only feeds have a budget', () => {
  const names = presetRules({ presets: ['git', 'feeds', 'git'], webhook_paths: [] });
  expect(names.map(({ name }) => name)).toEqual(['preset:feeds', 'preset:git']);
  expect(allRules.map(({ name }) => name)).toEqual(PRESETS.map((preset) => `preset:${preset}`));
  for (const { name, match, ...directives } of allRules) {
    const budget = { rate_limit: { requests: 300, per: 600_000, by: ['ip'] } };
    const values = { verdict: 'allow', ...(name === 'preset:feeds' && budget) };
    expect([name, directives, match]).toEqual([name, values, expect.anything()]);
  }
});

test('a preset has no empty match, and a user could write the same rule', () => {
  for (const { name, match } of allRules) {
    expect(Object.keys(match).length, name).toBeGreaterThan(0);
    expect(Match.parse(match), name).toEqual(match);
  }
});

test('each crawler that a preset names is in the catalogue, with a list or host names of its operator', () => {
  const catalogue = CrawlerCatalogue.load();
  const provableCrawlers = catalogue.all().filter((crawler) => {
    const { list, reverseDnsDomains } = catalogue.proofsOf(crawler);
    return (list?.ranges.size ?? 0) > 0 || reverseDnsDomains.length > 0;
  });
  const names = provableCrawlers.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...WEBHOOK_SENDERS]));
  for (const { crawler } of [monitors, linkPreviews]) {
    for (const category of crawler?.category ?? []) {
      expect(Object.keys(RSL_CATEGORIES)).toContain(category);
      expect(provableCrawlers.map((provableCrawler) => provableCrawler.category)).toContain(
        category,
      );
    }
  }
});
