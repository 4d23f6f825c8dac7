import type { CatalogueCrawler, CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { NetworkKind } from '@guard/config/catalogue/networks';
import type { ChallengeState, CrawlerFact } from '@guard/config/contract/event';
import type { Session } from '@guard/config/contract/ports';
import type { ValidateErrorType } from '@guard/config/contract/errors';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { readingsOf } from '@guard/config/matching/path-readings';
import { parseIp } from '@guard/config/net/cidr';
import type { Agent } from './agent.ts';
import { type RequestUrl, splitUrl } from './url.ts';

/** A known crawler's claim, and what its address says of it. */
export interface CrawlerClaim extends CrawlerFact {
  readonly proof: 'verified' | 'impersonator' | 'unverifiable';
  /** On the organisation's allowlist. */
  readonly allowlisted: boolean;
}

/** Where the visitor stands with the challenge. Only `verified` and `rejected` are stored. */
export type SessionFact =
  | { readonly state: 'none' }
  | { readonly state: 'issued'; readonly id: string }
  | { readonly state: 'verified' | 'rejected'; readonly id: string; readonly session: Session };

/** What signals and rules may know of a request. Parsed once; nothing here changes afterwards. */
export interface Facts {
  readonly url: RequestUrl;
  /** Every reading of the path an origin could make; the first one is the path as sent. */
  readonly paths: readonly string[];
  readonly method: string;
  readonly ip: string;
  /** Names in lower case, in the order they were sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly agent: Agent;
  readonly crawler: CrawlerClaim | undefined;
  readonly network: NetworkKind | undefined;
  /** Looked up on demand: few rules ask. ISO 3166-1 alpha-2, or empty. */
  country(): string;
  readonly session: SessionFact;
}

export interface FactSources {
  readonly readAgent: (userAgent: string) => Agent;
  readonly crawlers: CrawlerCatalogue;
  readonly networkOf: (ip: string) => NetworkKind | undefined;
  readonly countryOf: (ip: string) => string | undefined;
}

/** What can be known before anyone looks into the session store. */
export type Described =
  | {
      readonly kind: 'described';
      readonly facts: Omit<Facts, 'session'>;
      /** The `_guard` value that came with the request; empty when none did. */
      readonly cookie: string;
    }
  | { readonly kind: 'error'; readonly type: ValidateErrorType; readonly message: string };

export function describe(
  request: ValidateRequest,
  sources: FactSources,
  isAllowlisted: (crawler: CatalogueCrawler) => boolean,
): Described {
  const ip = parseIp(request.ip);
  if (ip === undefined) {
    return { kind: 'error', type: 'invalid_ip', message: '`ip` must be one IP address.' };
  }
  const url = splitUrl(request.url);
  if (url === undefined) {
    return { kind: 'error', type: 'invalid_request', message: '`url` must be an http(s) URL.' };
  }
  const headers = lowerCased(request.headers ?? {});
  const userAgent = headers['user-agent'] ?? '';
  const agent = sources.readAgent(userAgent);
  let country: string | undefined;
  const crawler = agent.crawler && claimOf(agent.crawler, ip, sources, isAllowlisted);
  return {
    kind: 'described',
    facts: {
      url,
      paths: readingsOf(url.path),
      method: request.method ?? 'GET',
      ip,
      headers,
      userAgent,
      agent,
      crawler,
      network: crawler?.proof === 'verified' ? undefined : sources.networkOf(ip),
      country: () => (country ??= sources.countryOf(ip) ?? ''),
    },
    cookie: request.cookie ?? cookieValue(headers['cookie'], '_guard'),
  };
}

export function challengeStateOf(session: SessionFact): ChallengeState {
  return session.state === 'issued' ? 'none' : session.state;
}

function claimOf(
  crawler: CatalogueCrawler,
  ip: string,
  sources: FactSources,
  isAllowlisted: (crawler: CatalogueCrawler) => boolean,
): CrawlerClaim {
  const proof = sources.crawlers.verify(crawler, ip);
  return {
    id: crawler.id,
    name: crawler.name,
    category: crawler.category,
    rslCategory: crawler.rslCategory,
    verified: proof === 'verified',
    proof,
    allowlisted: isAllowlisted(crawler),
  };
}

/** Node's own header objects are in lower case already and are used as they are. */
function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let plain = true;
  for (const name in headers) {
    if (name !== name.toLowerCase()) {
      plain = false;
      break;
    }
  }
  if (plain) return headers;
  const lower: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value;
  return lower;
}

/** The value of one cookie in a Cookie header (RFC 6265); empty when absent. The first one counts. */
function cookieValue(header: string | undefined, name: string): string {
  if (header === undefined) return '';
  let from = 0;
  while (from < header.length) {
    const semicolon = header.indexOf(';', from);
    const end = semicolon === -1 ? header.length : semicolon;
    while (header.charCodeAt(from) === 32) from++;
    if (header.startsWith(name, from) && header.charCodeAt(from + name.length) === 61) {
      return header.slice(from + name.length + 1, end).trim();
    }
    from = end + 1;
  }
  return '';
}
