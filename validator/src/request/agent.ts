import type { CatalogueCrawler, CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { UserAgentCatalogue } from '@guard/config/catalogue/user-agents';
import { LRUCache } from 'lru-cache';

export type Engine = 'chromium' | 'gecko' | 'webkit';
export type Platform = 'windows' | 'macos' | 'linux' | 'android' | 'ios' | 'chromeos' | 'unknown';

/** What a User-Agent string claims to be. */
export interface Agent {
  /** Undefined when it claims no browser. */
  readonly engine: Engine | undefined;
  /** Major version of the engine's own token: Chrome/N, Firefox/N, Version/N; 0 when there is none. */
  readonly major: number;
  readonly mobile: boolean;
  readonly platform: Platform;
  /** A browser built into an app (WebView, Qt, Electron): it sends fewer headers than a plain one. */
  readonly embedded: boolean;
  /** The token of an HTTP library or command-line client. */
  readonly httpClient: string | undefined;
  /** The token of an automation tool or headless browser. */
  readonly automation: string | undefined;
  readonly crawler: CatalogueCrawler | undefined;
}

/** Distinct strings kept parsed; a visitor can invent new ones for ever. */
const MAX_AGENTS = 5_000;
/** Longer strings are read up to here; no browser sends half of it. */
const MAX_LENGTH = 1_024;

/** Parses each distinct User-Agent once. */
export function createAgentReader(
  crawlers: CrawlerCatalogue,
  tokens: UserAgentCatalogue,
): (userAgent: string) => Agent {
  const known = new LRUCache<string, Agent>({ max: MAX_AGENTS });
  return (userAgent) => {
    const key = userAgent.length > MAX_LENGTH ? userAgent.slice(0, MAX_LENGTH) : userAgent;
    const cached = known.get(key);
    if (cached) return cached;
    const agent = readAgent(key, crawlers, tokens);
    known.set(key, agent);
    return agent;
  };
}

function readAgent(
  userAgent: string,
  crawlers: CrawlerCatalogue,
  tokens: UserAgentCatalogue,
): Agent {
  const engine = engineOf(userAgent);
  return {
    engine,
    major: engine === undefined ? 0 : majorOf(userAgent, engine),
    mobile: /\bMobi/.test(userAgent),
    platform: platformOf(userAgent),
    embedded: /; wv\)|QtWebEngine|Electron\/|FBAN|FBAV|Instagram/.test(userAgent),
    httpClient: tokens.httpClientToken(userAgent),
    automation: tokens.automationToken(userAgent),
    crawler: crawlers.identify(userAgent),
  };
}

function engineOf(userAgent: string): Engine | undefined {
  if (!userAgent.startsWith('Mozilla/5.0 (')) return undefined;
  // Every browser of iOS is WebKit, whatever its name.
  if (/iPhone|iPad|iPod/.test(userAgent)) return 'webkit';
  if (/ (?:Headless)?Chrom(?:e|ium)\/\d/.test(userAgent)) return 'chromium';
  if (/ Gecko\/.* Firefox\/\d/.test(userAgent)) return 'gecko';
  if (/ AppleWebKit\/.* Safari\/\d/.test(userAgent)) return 'webkit';
  return undefined;
}

const MAJOR: Record<Engine, RegExp> = {
  chromium: /Chrom(?:e|ium)\/(\d{1,4})/,
  gecko: /Firefox\/(\d{1,4})/,
  webkit: /Version\/(\d{1,4})/,
};

function majorOf(userAgent: string, engine: Engine): number {
  return Number(MAJOR[engine].exec(userAgent)?.[1] ?? 0);
}

const PLATFORMS: readonly (readonly [RegExp, Platform])[] = [
  [/iPhone|iPad|iPod/, 'ios'],
  [/Android/, 'android'],
  [/Windows/, 'windows'],
  [/CrOS/, 'chromeos'],
  [/Macintosh/, 'macos'],
  [/Linux|X11/, 'linux'],
];

function platformOf(userAgent: string): Platform {
  return PLATFORMS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'unknown';
}
