import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { UserAgentCatalogue } from '@guard/config/catalogue/user-agents';
import { createAgentReader } from '../../request/agent.ts';
import type { CrawlerClaim, Facts } from '../../request/facts.ts';

export const readAgent = createAgentReader(CrawlerCatalogue.load(), UserAgentCatalogue.load());

/** Facts of a GET request for https://shop.example/ from an address that is on no list. */
export function factsOf(
  headers: Readonly<Record<string, string>>,
  changes: Partial<Facts> = {},
): Facts {
  const userAgent = headers['user-agent'] ?? '';
  return {
    url: { scheme: 'https', host: 'shop.example', path: '/', query: '' },
    paths: ['/'],
    foldedPaths: ['/'],
    method: 'GET',
    referrer: '',
    ip: '84.115.20.7',
    ipFrom: 'peer',
    headers,
    userAgent,
    agent: readAgent(userAgent),
    crawler: undefined,
    network: undefined,
    isListed: () => false,
    country: () => '',
    asn: () => 0,
    asnName: () => '',
    session: { state: 'none' },
    sessionNetwork: () => undefined,
    ...changes,
  };
}

/** The change of `url` for a request over plain http. */
export const PLAIN_HTTP: Pick<Facts, 'url'> = {
  url: { scheme: 'http', host: 'shop.example', path: '/', query: '' },
};

/** A copy of the headers with these changes. The value undefined removes a header. */
export function changeHeaders(
  original: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...original, ...changes })) {
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

export function claimOf(changes: Partial<CrawlerClaim>): CrawlerClaim {
  return {
    id: '00000000-0000-5000-8000-000000000000',
    name: 'Somebot',
    category: 'Other',
    rslCategory: 'all',
    verified: false,
    proof: 'unverifiable',
    allowlisted: false,
    ...changes,
  };
}
