import type { CatalogueCrawler, CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { UserAgentCatalogue } from '@guard/config/catalogue/user-agents';
import { LRUCache } from 'lru-cache';
import { detachedCopy } from './detached-copy.ts';
import { type BrowserClaim, readBrowserClaim } from './browser-claim.ts';
import { expectedBrands } from './chromium-brands.ts';
import { plausibilityOf, type Plausibility } from './plausibility.ts';
import { hashUserAgent, MAX_AGENT_LENGTH } from './user-agent-hash.ts';

export type { Engine, Platform } from './browser-claim.ts';

/** How often the claimed browser sends a header: with every request, with most requests, or unknown. */
type Expectation = 'always' | 'usually' | 'unknown';

/** The claims of a User-Agent string, and their consequences. */
export interface Agent extends BrowserClaim {
  /** The hash of the User-Agent, which a judged session stores (user-agent-hash.ts). */
  readonly hash: string;
  readonly plausibility: Plausibility;
  /** How often this browser sends Sec-Fetch-* on https (W3C Fetch Metadata). */
  readonly fetchMetadata: Expectation;
  /** How often this browser sends low-entropy client hints on https (W3C UA-CH). */
  readonly clientHints: Expectation;
  /** The exact `sec-ch-ua` value of this browser. Empty when it is unknown. */
  readonly brands: string;
  /** The token of an HTTP library or a command-line client. */
  readonly httpClient: string | undefined;
  /** The token of an automation tool or a headless browser. */
  readonly automation: string | undefined;
  readonly crawler: CatalogueCrawler | undefined;
}

/** Maximum number of parsed strings in the cache. A limit is needed, because a visitor can invent new strings. */
const MAX_AGENTS = 5_000;

/** First major versions that send Sec-Fetch-* with every request to a trustworthy origin. */
const FETCH_METADATA_SINCE = { chromium: 80, gecko: 90, webkit: 17 } as const;
/** First major version in which Chrome, Edge and Opera send `sec-ch-ua` by default on all systems. */
const CLIENT_HINTS_SINCE = 90;

/** Creates a function that parses a User-Agent. It parses each distinct one only once. */
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
    agents.set(detachedCopy(key), agent);
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

/** The agent of a crawler, when Guard knows only the name of the crawler. */
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

/**
 * Safari is only `usually`, because on iOS some browsers inside apps and some content blockers leave fetch metadata
 * out.
 */
function fetchMetadataOf({ engine, major, embedded }: BrowserClaim): Expectation {
  if (engine === undefined || embedded || major < FETCH_METADATA_SINCE[engine]) return 'unknown';
  return engine === 'webkit' ? 'usually' : 'always';
}
