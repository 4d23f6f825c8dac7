import { RSL_CATEGORIES } from '@guard/config/catalogue/crawler-file';
import type { CatalogueCrawler, CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { ContentUse } from '@guard/config/settings/sections/pages';
import { agentOf } from '../request/agent.ts';
import { crawlerClaim, type Facts } from '../request/facts.ts';
import { type CompiledRules, findDirectives } from '../rules/directives.ts';
import { crawlerSignal } from '../signals/crawler.ts';
import type { Strengths } from '../verdict/strengths.ts';
import { weigh } from '../verdict/weigh.ts';

export const ROBOTS_HEADERS = { 'Content-Type': 'text/plain; charset=utf-8' } as const;

/** The settings of an organisation that decide about crawlers. */
export interface CrawlerPolicy {
  readonly rules: CompiledRules;
  readonly isAllowlisted: (crawler: CatalogueCrawler) => boolean;
  readonly strengths: Strengths;
}

/**
 * The managed robots.txt (RFC 9309). It disallows each known crawler that the organisation would block on the front
 * page even with a proof. Content-Signal lines (contentsignals.org) state the uses for which other crawlers can collect
 * content. `use` is the value of the content signal `use`, and `license` is the URL of an RSL document
 * (rslstandard.org). The operator sets both.
 */
export function managedRobots(
  catalogue: Pick<CrawlerCatalogue, 'all' | 'tokensOf'>,
  judging: CrawlerPolicy,
  {
    license,
    use,
  }: { readonly license?: string | undefined; readonly use?: ContentUse | undefined } = {},
): string {
  const names = namesOfUnwelcome(catalogue, judging)
    .map((name) => `User-agent: ${name}\n`)
    .join('');
  const signals = USES.flatMap((purpose) => {
    const value = valueFor(purpose, judging);
    return value === undefined ? [] : `${purpose}=${value}`;
  });
  if (use !== undefined) signals.push(`use=${use}`);
  return [
    license === undefined ? '' : `License: ${license}\n\n`,
    names === ''
      ? ''
      : `${names}${signalLine(USES.map((purpose) => `${purpose}=no`))}Disallow: /\n\n`,
    `User-agent: *\n${signalLine(signals)}Allow: /\n`,
  ].join('');
}

/** A product token. It also allows digits and dots, which RFC 9309 section 2.2.1 forbids but some operators use. */
const WORD = /^[\w.-]+$/;
/** A strict reader compares only this beginning of a name. */
const PRODUCT_TOKEN = /^[a-z_-]*/i;

/**
 * Names for `User-agent` lines. A crawler looks for its name or for a token of its User-Agent, so all of these that are
 * valid words are listed. When none is valid, its name is listed. A strict reader can shorten a name to that of a
 * crawler that is not blocked. Such a name is left out.
 */
function namesOfUnwelcome(
  catalogue: Pick<CrawlerCatalogue, 'all' | 'tokensOf'>,
  judging: CrawlerPolicy,
): readonly string[] {
  const blockedNames = new Map<string, string>();
  const otherNames = new Set<string>();
  for (const crawler of catalogue.all()) {
    const words = [crawler.name, ...catalogue.tokensOf(crawler)].filter((text) => WORD.test(text));
    const isBlocked = standingOf(crawler, judging) === 'blocked';
    for (const name of words.length === 0 ? [crawler.name] : words) {
      const key = name.toLowerCase();
      if (!isBlocked) otherNames.add(key);
      else if (!blockedNames.has(key)) blockedNames.set(key, name);
    }
  }
  const isRead = ([key]: [string, string]) => !otherNames.has(PRODUCT_TOKEN.exec(key)?.[0] ?? key);
  return [...blockedNames].filter(isRead).map(([, name]) => name);
}

/** The uses of content. Each word is also the `rsl_category` of the crawlers that collect for this use. */
const USES = ['search', 'ai-input', 'ai-train'] as const;
type Use = (typeof USES)[number];

function signalLine(values: readonly string[]): string {
  return values.length === 0 ? '' : `Content-Signal: ${values.join(', ')}\n`;
}

/**
 * The value of one use. The rules are tried with an imagined verified crawler of each category that collects for this
 * use. `no`: one of these crawlers is blocked. `yes`: all of them are welcome. Undefined in all other cases: the site
 * neither grants nor forbids the use.
 */
function valueFor(use: Use, judging: CrawlerPolicy): 'yes' | 'no' | undefined {
  const standings = Object.entries(RSL_CATEGORIES)
    .filter(([, rslCategory]) => rslCategory === use)
    .map(([category, rslCategory]) => {
      const stranger = { id: '', name: category, category, rslCategory, operator: '' };
      return standingOf(stranger, judging);
    });
  if (standings.includes('blocked')) return 'no';
  return standings.every((standing) => standing === 'welcome') ? 'yes' : undefined;
}

/**
 * The result for a verified crawler on the front page. `welcome`: the allowlist, or a rule with the condition
 * `crawler`, allows the crawler. `tolerated`: the crawler passes only by a rule for all visitors, which grants no use
 * of the content.
 */
function standingOf(
  crawler: CatalogueCrawler,
  { rules, isAllowlisted, strengths }: CrawlerPolicy,
): 'blocked' | 'tolerated' | 'welcome' {
  const facts = visitOf(crawler, isAllowlisted(crawler));
  const findings = strengths.withoutOff(crawlerSignal(facts));
  const { verdict, detect } = findDirectives(rules, facts, { all: () => findings });
  if (verdict?.value === 'block') return 'blocked';
  if (verdict?.value === 'allow') {
    return verdict.by.match.crawler === undefined ? 'tolerated' : 'welcome';
  }
  const isRejected = detect?.value === true && weigh(findings, false, strengths) === 'reject';
  return isRejected ? 'blocked' : 'tolerated';
}

/** The facts of a verified visit of this crawler to the front page. All other facts are unknown. */
function visitOf(crawler: CatalogueCrawler, isAllowlisted: boolean): Facts {
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
    crawler: crawlerClaim(crawler, 'verified', isAllowlisted),
    network: undefined,
    isListed: () => false,
    country: () => '',
    asn: () => 0,
    asnName: () => '',
    sessionNetwork: () => undefined,
    session: { state: 'none' },
  };
}
