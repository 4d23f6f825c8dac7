import type { CatalogueCrawler } from '@guard/config/catalogue/crawlers';
import { agentOf } from '../request/agent.ts';
import type { Facts } from '../request/facts.ts';
import type { LazyFindings } from '../rules/compile-match.ts';
import { type CompiledRule, direct } from '../rules/direct.ts';

export const ROBOTS_HEADERS = { 'Content-Type': 'text/plain; charset=utf-8' } as const;

/**
 * The managed robots.txt (RFC 9309). It disallows each known crawler that the rules block on the front page even when
 * its claim is proved.
 */
export function managedRobots(
  crawlers: readonly CatalogueCrawler[],
  rules: readonly CompiledRule[],
): string {
  const unwelcome = crawlers.filter(
    (crawler) => direct(rules, visitOf(crawler), NO_FINDINGS).verdict?.value === 'block',
  );
  const groups = unwelcome.map(({ name }) => `User-agent: ${name}`);
  const disallow = groups.length === 0 ? '' : `${groups.join('\n')}\nDisallow: /\n\n`;
  return `${disallow}User-agent: *\nAllow: /\n`;
}

const NO_FINDINGS: LazyFindings = { all: () => [] };

/** The facts of a verified visit of this crawler to the front page. Nothing else is known. */
function visitOf(crawler: CatalogueCrawler): Facts {
  return {
    url: { scheme: 'https', host: '', path: '/', query: '' },
    paths: ['/'],
    foldedPaths: ['/'],
    method: 'GET',
    referrer: '',
    ip: '',
    ipFrom: 'caller',
    headers: {},
    userAgent: crawler.name,
    agent: agentOf(crawler),
    crawler: {
      id: crawler.id,
      name: crawler.name,
      category: crawler.category,
      rslCategory: crawler.rslCategory,
      verified: true,
      proof: 'verified',
      allowlisted: false,
    },
    network: undefined,
    isListed: () => false,
    country: () => '',
    asn: () => 0,
    asnName: () => '',
    sessionNetwork: () => undefined,
    session: { state: 'none' },
  };
}
