/** The lists in the source folder, with their origins and days. */

export interface Source {
  /** The path below the source folder. */
  readonly file: string;
  readonly origin: string;
  readonly licence: string;
  /** The day of the commit. It changes together with the file. */
  readonly date: string;
}

export const SOURCES = {
  ipverseCrawlers: {
    file: 'crawlers/ipverse-crawlers.json',
    origin: 'github.com/ipverse/bot-ip-blocks',
    licence: 'CC0-1.0',
    date: '2026-08-21',
  },
  ipverseMonitoring: {
    file: 'crawlers/ipverse-monitoring.json',
    origin: 'github.com/ipverse/bot-ip-blocks',
    licence: 'CC0-1.0',
    date: '2026-08-21',
  },
  sefinek: {
    file: 'crawlers/sefinek-known-bots.json',
    origin: 'github.com/sefinek/known-bots-ip-whitelist',
    licence: 'MIT',
    date: '2026-05-05',
  },
  hexydec: {
    file: 'crawlers/hexydec-crawlers-subset.json',
    origin: 'github.com/hexydec/ip-ranges',
    licence: 'MIT',
    date: '2026-08-22',
  },
  /** A folder with one file for each list. */
  crowdsec: {
    file: 'crawlers/crowdsec',
    origin: 'github.com/crowdsecurity/sec-lists',
    licence: 'MIT',
    date: '2026-07-20',
  },
  aiRobots: {
    file: 'crawlers/ai-robots-txt.json',
    origin: 'github.com/ai-robots-txt/ai.robots.txt',
    licence: 'MIT',
    date: '2026-08-22',
  },
  x4b: {
    file: 'ip',
    origin: 'github.com/X4BNet/lists_vpn',
    licence: 'MIT',
    date: '2026-08-22',
  },
  clouds: {
    file: 'ip/cloud-ranges.json',
    origin: 'github.com/lord-alfred/ipranges',
    licence: 'CC0-1.0',
    date: '2026-08-22',
  },
  privateRelay: {
    file: 'ip/apple-private-relay-v4.txt',
    origin: 'github.com/lord-alfred/ipranges',
    licence: 'CC0-1.0',
    date: '2026-08-22',
  },
  vpnServers: {
    file: 'ip/vpn-first-party.json',
    origin: 'github.com/Joe12387/open-source-vpn-ip-lists',
    licence: 'CC0-1.0',
    date: '2026-08-22',
  },
  torExits: {
    file: 'ip/tor-exits.txt',
    origin: 'github.com/alireza-rezaee/tor-nodes',
    licence: 'MIT',
    date: '2026-08-22',
  },
} as const satisfies Record<string, Source>;

export type CrawlerSource =
  'ipverseCrawlers' | 'ipverseMonitoring' | 'sefinek' | 'hexydec' | 'crowdsec';
