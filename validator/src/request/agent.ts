import type { CatalogueCrawler, CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { UserAgentCatalogue } from '@guard/config/catalogue/user-agents';
import { LRUCache } from 'lru-cache';
import { ownText } from './own-text.ts';
import { type BrowserClaim, readBrowserClaim } from './browser-claim.ts';
import { expectedBrands } from './chromium-brands.ts';
import { plausibilityOf, type Plausibility } from './plausibility.ts';
import { hashUserAgent, MAX_AGENT_LENGTH } from './user-agent-hash.ts';

export type { Engine, Platform } from './browser-claim.ts';

/** How often the claimed browser sends a header: with every request, with most requests, or unknown. */
type Expectation = 'always' | 'usually' | 'unknown';

/** The claims of a User-Agent string, and their consequences. */
export interface Agent extends BrowserClaim {
  /** The hash that is stored in a judged session (user-agent-hash.ts). */
  readonly hash: string;
  readonly plausibility: Plausibility;
  /** Sec-Fetch-* on https (W3C Fetch Metadata). */
  readonly fetchMetadata: Expectation;
  /** Low-entropy client hints on https (W3C UA-CH). */
  readonly clientHints: Expectation;
  /** The exact `sec-ch-ua` value of this browser. Empty when it is unknown. */
  readonly brands: string;
  /** The token of an HTTP library or a command-line client. */
  readonly httpClient: string | undefined;
  /** The token of an automation tool or a headless browser. */
  readonly automation: string | undefined;
  readonly crawler: CatalogueCrawler | undefined;
}

/** Maximum number of parsed strings in the cache. It is bounded, because a visitor can invent new strings. */
const MAX_AGENTS = 5_000;

/** First major versions that send Sec-Fetch-* with every request to a trustworthy origin. */
const FETCH_METADATA_SINCE = { chromium: 80, gecko: 90, webkit: 17 } as const;
/** First major version of Chrome, Edge and Opera that sends `sec-ch-ua` by default everywhere. */
const CLIENT_HINTS_SINCE = 90;

/** Parses each distinct User-Agent once. */
export function createAgentReader(
  crawlers: CrawlerCatalogue,
  tokens: UserAgentCatalogue,
): (userAgent: string) => Agent {
  const agents = new LRUCache<string, Agent>({ max: MAX_AGENTS });
  return (userAgent) => {
    const key =
      userAgent.length > MAX_AGENT_LENGTH ? userAgent.slice(0, MAX_AGENT_LENGTH) : userAgent;
    const cachedAgent = agents.get(key);
    if (cachedAgent) return cachedAgent;
    const agent = readAgent(key, crawlers, tokens);
    agents.set(ownText(key), agent);
    return agent;
  };
}

function readAgent(
  userAgent: string,
  crawlers: CrawlerCatalogue,
  tokens: UserAgentCatalogue,
): Agent {
  const claim = readBrowserClaim(userAgent);
  return {
    ...claim,
    hash: hashUserAgent(userAgent),
    plausibility: plausibilityOf(userAgent, claim),
    fetchMetadata: fetchMetadataOf(claim),
    clientHints:
      claim.product !== 'other' && claim.major >= CLIENT_HINTS_SINCE ? 'always' : 'unknown',
    brands: expectedBrands(claim),
    httpClient: tokens.httpClientToken(userAgent),
    automation: tokens.automationToken(userAgent),
    crawler: crawlers.identify(userAgent),
  };
}

/** The agent of a crawler when only its name is known. */
export function agentOf(crawler: CatalogueCrawler): Agent {
  return {
    hash: '',
    engine: undefined,
    major: 0,
    product: 'other',
    mobile: false,
    platform: 'unknown',
    embedded: false,
    recognised: false,
    plausibility: 'plausible',
    fetchMetadata: 'unknown',
    clientHints: 'unknown',
    brands: '',
    httpClient: undefined,
    automation: undefined,
    crawler,
  };
}

/** Safari usually sends fetch metadata: on iOS, browsers inside apps and content blockers leave it out. */
function fetchMetadataOf({ engine, major, embedded }: BrowserClaim): Expectation {
  if (engine === undefined || embedded || major < FETCH_METADATA_SINCE[engine]) return 'unknown';
  return engine === 'webkit' ? 'usually' : 'always';
}
