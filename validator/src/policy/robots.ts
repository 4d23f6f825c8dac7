import { RSL_CATEGORIES } from '@guard/config/catalogue/crawler-file';
import type { CatalogueCrawler, CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { ContentUse } from '@guard/config/settings/sections/pages';
import { agentOf } from '../request/agent.ts';
import type { Facts } from '../request/facts.ts';
import { type CompiledRules, direct } from '../rules/direct.ts';
import { crawlerSignal } from '../signals/crawler.ts';
import type { Strengths } from '../verdict/strengths.ts';
import { weigh } from '../verdict/weigh.ts';

export const ROBOTS_HEADERS = { 'Content-Type': 'text/plain; charset=utf-8' } as const;

/** By what an organisation judges crawlers. */
export interface CrawlerJudging {
  readonly rules: CompiledRules;
  readonly isAllowlisted: (crawler: CatalogueCrawler) => boolean;
  readonly strengths: Strengths;
}

/**
 * The managed robots.txt (RFC 9309). It disallows each known crawler that the organisation would block on
 * the front page even when it comes from its operator's own addresses. Content-Signal lines
 * (contentsignals.org) say for which uses other crawlers may collect. `use` is the operator's own word for what they may
 * keep. `license` is the URL of an RSL document (rslstandard.org); its line belongs to no group.
 */
export function managedRobots(
  catalogue: Pick<CrawlerCatalogue, 'all' | 'tokensOf'>,
  judging: CrawlerJudging,
  {
    license,
    use,
  }: { readonly license?: string | undefined; readonly use?: ContentUse | undefined } = {},
): string {
  const names = namesOfUnwelcome(catalogue, judging)
    .map((name) => `User-agent: ${name}\n`)
    .join('');
  const granted = USES.flatMap((purpose) => {
    const value = valueFor(purpose, judging);
    return value === undefined ? [] : `${purpose}=${value}`;
  });
  if (use !== undefined) granted.push(`use=${use}`);
  return [
    license === undefined ? '' : `License: ${license}\n\n`,
    names === ''
      ? ''
      : `${names}${signalLine(USES.map((purpose) => `${purpose}=no`))}Disallow: /\n\n`,
    `User-agent: *\n${signalLine(granted)}Allow: /\n`,
  ].join('');
}

/** What some operators take for a product token: RFC 9309 section 2.2.1 has no digit and no dot in it. */
const WORD = /^[\w.-]+$/;
/** As much of a name as a strict reader takes. */
const PRODUCT_TOKEN = /^[a-z_-]*/i;

/**
 * Names for `User-agent` lines: of each crawler all words by which it can look for itself, which are its name and the tokens of its
 * User-Agent. A crawler without such a word has its name. A name that a strict reader would cut to that of a crawler
 * that is not blocked is left out.
 */
function namesOfUnwelcome(
  catalogue: Pick<CrawlerCatalogue, 'all' | 'tokensOf'>,
  judging: CrawlerJudging,
): readonly string[] {
  const blocked = new Map<string, string>();
  const others = new Set<string>();
  for (const crawler of catalogue.all()) {
    const words = [crawler.name, ...catalogue.tokensOf(crawler)].filter((text) => WORD.test(text));
    const isBlocked = standingOf(crawler, judging) === 'blocked';
    for (const name of words.length === 0 ? [crawler.name] : words) {
      const key = name.toLowerCase();
      if (!isBlocked) others.add(key);
      else if (!blocked.has(key)) blocked.set(key, name);
    }
  }
  const isRead = ([key]: [string, string]) => !others.has(PRODUCT_TOKEN.exec(key)?.[0] ?? key);
  return [...blocked].filter(isRead).map(([, name]) => name);
}

/** What content can be used for. Each word is also the `rsl_category` of the crawlers that collect for this use. */
const USES = ['search', 'ai-input', 'ai-train'] as const;
type Use = (typeof USES)[number];

function signalLine(values: readonly string[]): string {
  return values.length === 0 ? '' : `Content-Signal: ${values.join(', ')}\n`;
}

/**
 * What a verified crawler of this use meets that no rule names, in each of the use's categories. `no` where one of them is blocked,
 * `yes` where all of them are welcome. Otherwise undefined: without a value the site neither grants nor reserves the use.
 */
function valueFor(use: Use, judging: CrawlerJudging): 'yes' | 'no' | undefined {
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
 * What a verified crawler meets on the front page. `welcome`: a rule that speaks of crawlers, or the allowlist, lets it in. A rule
 * that lets everybody in grants no use of the content, so it leaves the crawler `tolerated`.
 */
function standingOf(
  crawler: CatalogueCrawler,
  { rules, isAllowlisted, strengths }: CrawlerJudging,
): 'blocked' | 'tolerated' | 'welcome' {
  const facts = visitOf(crawler, isAllowlisted(crawler));
  const findings = strengths.withoutOff(crawlerSignal(facts));
  const { verdict, detect } = direct(rules, facts, { all: () => findings });
  if (verdict?.value === 'block') return 'blocked';
  if (verdict?.value === 'allow') {
    return verdict.by.match.crawler === undefined ? 'tolerated' : 'welcome';
  }
  const isRejected = detect?.value === true && weigh(findings, false, strengths) === 'reject';
  return isRejected ? 'blocked' : 'tolerated';
}

/** A verified visit of this crawler to the front page, with nothing else known. */
function visitOf(crawler: CatalogueCrawler, allowlisted: boolean): Facts {
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
      allowlisted,
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
