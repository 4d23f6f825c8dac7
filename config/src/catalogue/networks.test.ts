import { describe, expect, test } from 'vitest';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlerCatalogue } from './crawlers.ts';
import { NetworkCatalogue } from './networks.ts';

const networks = NetworkCatalogue.load();

describe('the bundled networks', () => {
  test.each([
    ['3.5.140.1', 'datacenter'],
    ['2600:1f18::1', 'datacenter'],
    ['185.220.101.33', 'tor'],
    ['2a0b:f4c2:2::33', 'tor'],
    ['31.3.152.99', 'vpn'],
    ['8.8.8.8', 'datacenter'],
    ['203.0.113.9', undefined],
    ['192.168.1.1', undefined],
    ['2001:db8::1', undefined],
    ['::1', undefined],
  ])('say of %s: %s', (ip, kind) => {
    expect(networks.kindOf(ip)).toBe(kind);
  });

  test('contain no address of iCloud Private Relay', () => {
    for (const ip of ['104.28.28.1', '104.28.28.92', '104.28.29.1', '2a02:26f7:b00a:4000::1']) {
      expect(networks.kindOf(ip), ip).toBeUndefined();
    }
  });

  test('contain no bogon and no range that is too wide', () => {
    for (const { kind, ranges, refusals } of networks.lists) {
      expect(refusals, kind).toEqual({ malformed: 0, bogon: 0, tooWide: 0 });
      expect(ranges.size, kind).toBeGreaterThan(1000);
    }
  });

  test('contain verified crawlers, so Guard checks for crawlers first', () => {
    const crawlers = CrawlerCatalogue.load();
    const googlebot = crawlers.identify('Googlebot/2.1');
    expect(googlebot && crawlers.verify(googlebot, '66.249.66.1')).toBe('verified');
    expect(networks.kindOf('66.249.66.1')).toBe('datacenter');
  });
});

describe('lists of networks', () => {
  function load(lists: { tor: string; vpn: string; datacenter: string }): NetworkCatalogue {
    const folder = mkdtempSync(join(tmpdir(), 'guard-networks-'));
    for (const [name, text] of Object.entries(lists))
      writeFileSync(join(folder, `${name}.txt`), text);
    return NetworkCatalogue.load(folder);
  }

  test('rank Tor over VPN over datacenter', () => {
    const catalogue = load({
      tor: '8.8.8.8/32\n',
      vpn: '8.8.8.0/29\n',
      datacenter: '# comment\n8.8.8.0/24\n',
    });
    expect(['8.8.8.8', '8.8.8.1', '8.8.8.77'].map((ip) => catalogue.kindOf(ip))).toEqual([
      'tor',
      'vpn',
      'datacenter',
    ]);
  });

  test('lose bogons and over-wide ranges when they are loaded', () => {
    const catalogue = load({
      tor: '8.8.8.0/24\n',
      vpn: '8.0.0.0/8\n',
      datacenter: '203.0.113.0/24\n192.168.1.0/24\nx\n',
    });
    expect(catalogue.lists.map(({ refusals }) => refusals)).toEqual([
      { malformed: 0, bogon: 0, tooWide: 1 },
      { malformed: 0, bogon: 0, tooWide: 1 },
      { malformed: 1, bogon: 2, tooWide: 0 },
    ]);
    expect(catalogue.kindOf('203.0.113.9')).toBeUndefined();
  });

  test('must exist', () => {
    expect(() => NetworkCatalogue.load('/nonexistent')).toThrow(/ENOENT/);
  });
});
