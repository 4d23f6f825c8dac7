import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { crawlerId } from './testing/crawler-id.ts';
import { CrawlerCatalogue } from './crawlers.ts';
import type { CatalogueCrawler } from './crawlers.ts';

const catalogue = CrawlerCatalogue.load();

function claimedCrawler(userAgent: string): CatalogueCrawler {
  const crawler = catalogue.identify(userAgent);
  if (crawler === undefined) throw new Error(`no crawler found in: ${userAgent}`);
  return crawler;
}

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('a User-Agent identifies (contract 1.3)', () => {
  test.each([
    [GOOGLEBOT, 'Googlebot'],
    ['Googlebot-Image/1.0', 'Googlebot-Image'],
    ['AdsBot-Google (+http://www.google.com/adsbot.html)', 'AdsBot-Google'],
    [
      'Mozilla/5.0 (Linux; Android 6.0.1) Chrome/99 Mobile Safari/537.36 (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)',
      'AdsBot-Google-Mobile',
    ],
    ['Mediapartners (Googlebot)', 'Mediapartners-Google'],
    ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'Bingbot'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      'GPTBot',
    ],
    [
      'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
      'Yahoo! Slurp',
    ],
    [
      'Mozilla/5.0 (compatible; Baiduspider-render/2.0; +http://www.baidu.com/search/spider.html)',
      'Baiduspider',
    ],
    ['Feedly/1.0 (+http://www.feedly.com/fetcher.html; like FeedFetcher-Google)', 'Feedly'],
    ['TelegramBot (like TwitterBot)', 'TelegramBot'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
      'iMessage Preview',
    ],
    ['http.rb/5.1.1 (Mastodon/4.2.1; +https://social.example/)', 'Mastodon'],
  ])('%s as %s', (userAgent, name) => {
    expect(catalogue.identify(userAgent)?.name).toBe(name);
  });

  test.each([
    '',
    'bot',
    'Bot/1.0',
    'crawler',
    'spider/2',
    'my crawler',
    'NotGooglebotX/1.0',
    'CUBOT',
    'robot',
    'Code/1.0',
    'Spider',
  ])(
    'a User-Agent names no crawler, because the word is generic or is the name of another product: %s',
    (userAgent) => {
      expect(catalogue.identify(userAgent)).toBeUndefined();
    },
  );
});

describe('verification (contract 1.3: the source IP lies inside the published ranges)', () => {
  test('of Googlebot succeeds inside of the ranges and unmasks an impersonator outside', () => {
    const googlebot = claimedCrawler(GOOGLEBOT);
    expect(catalogue.verify(googlebot, '66.249.66.1')).toBe('verified');
    expect(catalogue.verify(googlebot, '203.0.113.9')).toBe('impersonator');
    expect(catalogue.verify(googlebot, '2001:4860:4801:10::1')).toBe('verified');
    expect(catalogue.verify(googlebot, '2001:db8::1')).toBe('impersonator');
  });

  test.each([
    'Bingbot',
    'GPTBot',
    'ClaudeBot',
    'Applebot',
    'Amazonbot',
    'CCBot',
    'AhrefsBot',
    'UptimeRobot',
  ])('of %s unmasks an impersonator, because its list is complete', (name) => {
    expect(catalogue.verify(claimedCrawler(name), '203.0.113.9')).toBe('impersonator');
  });

  test.each(['facebookexternalhit', 'YandexBot', 'SemrushBot', 'Chrome-Lighthouse'])(
    'of %s accuses no visitor, because its list is not authoritative',
    (name) => {
      expect(catalogue.verify(claimedCrawler(name), '203.0.113.9')).toBe('unverifiable');
    },
  );

  test('of a crawler with a whole network as its range succeeds inside this network', () => {
    expect(catalogue.verify(claimedCrawler('facebookexternalhit/1.1'), '31.13.24.1')).toBe(
      'verified',
    );
  });

  test('is impossible when nothing is published', () => {
    expect(catalogue.verify(claimedCrawler('Baiduspider'), '203.0.113.9')).toBe('unverifiable');
  });
});

describe('loading the crawlers', () => {
  function folderWith(content: unknown): string {
    const folder = mkdtempSync(join(tmpdir(), 'guard-crawlers-'));
    writeFileSync(join(folder, 'example.json'), JSON.stringify(content));
    return folder;
  }
  const crawler = {
    id: crawlerId('ExampleBot'),
    name: 'ExampleBot',
    category: 'Other',
    rsl_category: 'all',
    user_agent: { contains: ['ExampleBot'] },
  };
  const publishedLists = {
    published: true,
    authoritative: true,
    source_url: 'https://bot.example/ips',
    date: '2026-11-21',
  };

  const file = (v4: readonly string[], v6: readonly string[] = []) =>
    folderWith({ operator: 'Example', crawlers: [crawler], ranges: { ...publishedLists, v4, v6 } });
  function standingOf(ip: string, folder: string, overlay?: string) {
    const loadedCatalogue = CrawlerCatalogue.load(folder, overlay);
    const foundCrawler = loadedCatalogue.identify('ExampleBot/1.0');
    return foundCrawler && loadedCatalogue.verify(foundCrawler, ip);
  }

  test('drops bogons and over-wide ranges, and counts them', () => {
    const folder = file(['192.168.1.0/24', '8.0.0.0/8', '8.8.8.0/24'], ['fd00::/48']);
    expect(CrawlerCatalogue.load(folder).lists.map(({ refusals }) => refusals)).toEqual([
      { malformed: 0, bogon: 2, tooWide: 1 },
    ]);
    expect(standingOf('192.168.1.5', folder)).toBe('impersonator');
    expect(standingOf('8.8.8.8', folder)).toBe('verified');
  });

  test('treats no visitor as an impersonator when a list has no entry left', () => {
    expect(standingOf('8.8.8.8', file(['10.0.0.0/8']))).toBe('unverifiable');
  });

  test('throws an error that names a file with another format', () => {
    expect(() => CrawlerCatalogue.load(folderWith({ operator: 'Example' }))).toThrow(
      /example\.json/,
    );
  });

  describe('with refreshed ranges in a folder', () => {
    const bundledFile = file(['8.8.8.0/24']);
    const source = { url: 'https://bot.example/ips', v4: ['9.9.9.0/24'], v6: [] };
    const refreshedRanges = { fetched_at: '2026-11-22T08:00:00.000Z', sources: [source] };
    const standing = (overlay: string, ip: string) => standingOf(ip, bundledFile, overlay);

    test('replaces the bundled ranges', () => {
      const overlay = folderWith(refreshedRanges);
      expect(standing(overlay, '9.9.9.9')).toBe('verified');
      expect(standing(overlay, '8.8.8.8')).toBe('impersonator');
      const [list] = CrawlerCatalogue.load(bundledFile, overlay).lists;
      expect(list?.asOf).toBe(Date.parse('2026-11-22T08:00:00Z'));
    });

    test('drops bogons and over-wide ranges', () => {
      const overlay = folderWith({
        ...refreshedRanges,
        sources: [{ ...source, v4: ['10.0.0.0/8'] }],
      });
      expect(standing(overlay, '10.1.1.1')).toBe('unverifiable');
    });

    test('keeps bundled ranges that are newer', () => {
      const overlay = folderWith({ ...refreshedRanges, fetched_at: '2026-11-01T08:00:00.000Z' });
      expect(standing(overlay, '8.8.8.8')).toBe('verified');
    });

    test('does not need the folder', () => {
      expect(standing(join(tmpdir(), 'guard-no-such-folder'), '8.8.8.8')).toBe('verified');
    });

    test('throws an error that names a file with another format', () => {
      expect(() => CrawlerCatalogue.load(bundledFile, folderWith({}))).toThrow(/example\.json/);
    });
  });

  test('gives the age of the oldest list', () => {
    const dates = catalogue.lists
      .filter(({ refreshUrls }) => refreshUrls.length > 0)
      .map(({ asOf }) => asOf);
    expect(dates.length).toBeGreaterThan(20);
    expect(catalogue.oldestListAt).toBe(dates.toSorted((a, b) => a - b)[0]);
  });

  test('gives the host names of an operator without ranges', () => {
    const baidu = claimedCrawler('Baiduspider');
    expect(catalogue.proofsOf(baidu)).toEqual({
      list: undefined,
      reverseDnsDomains: ['crawl.baidu.com', 'crawl.baidu.jp'],
    });
  });
});
