import { isDeepStrictEqual } from 'node:util';
import type { CatalogueCrawler, CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { presetRules } from '@guard/config/settings/presets/preset-rules';
import type { AllowlistEntry, Organisation } from '@guard/config/settings/schema';
import { atOnce } from '@guard/config/time/slices';
import { challengeTerms, type ChallengeTerms } from '../challenge/tickets/challenge-terms.ts';
import { PassPrice } from '../challenge/work/pass-price.ts';
import { compileLook, type Look } from '../pages/look.ts';
import { OwnPages } from '../pages/own-pages.ts';
import { type CrawlerPolicy, managedRobots } from './robots.ts';
import { type CompiledRules, compileRules } from '../rules/directives.ts';
import { FreePages } from '../verdict/free-pages/free-pages.ts';
import { PassTable } from '../verdict/passes/pass-table.ts';
import { Pressure, type PressurePorts } from '../verdict/pressure/pressure.ts';
import { SessionLimits } from '../verdict/passes/session-limits.ts';
import type { DecisionInput } from '../verdict/decide.ts';
import { Strengths } from '../verdict/strengths.ts';
import { Traps } from '../verdict/traps.ts';

/** The compiled settings of one organisation. */
export interface Policy extends Pick<
  DecisionInput,
  'strengths' | 'freePages' | 'pressure' | 'sessionLimits' | 'traps'
> {
  readonly organisation: string;
  readonly rules: CompiledRules;
  readonly isAllowlisted: (crawler: CatalogueCrawler) => boolean;
  readonly features: Organisation['features'];
  readonly monitor: boolean;
  readonly challenge: ChallengeTerms;
  /** The settings that the counters depend on. */
  readonly counterSettings: Organisation['challenge'];
  /** The price of new passes in work. Undefined when new passes never need work. */
  readonly passPrice: PassPrice | undefined;
  readonly look: Look;
  /** The organisation's own pages, which replace Guard's pages. */
  readonly ownPages: OwnPages;
  /** The robots.txt that Guard serves. Undefined when the origin serves its own. */
  readonly robots: Buffer | undefined;
}

/** The parts of a policy that count requests. A reload keeps them when their settings are the same. */
type Counters = Pick<
  Policy,
  'counterSettings' | 'passPrice' | 'freePages' | 'pressure' | 'sessionLimits'
>;

/** Parts of a policy that the caller already has. A missing part is created here. */
interface Prepared {
  /** The counters of the organisation before a reload. */
  readonly before?: Counters | undefined;
  /** The table of passes, which all organisations share. */
  readonly passes?: PassTable;
  readonly rules?: CompiledRules;
  readonly challenge?: ChallengeTerms;
}

/** The rules of an organisation, and the presets that it uses, before they are compiled. */
export function rulesOf(settings: Organisation) {
  const { id: organisation, rules } = settings;
  return { organisation, rules, presets: presetRules(settings) };
}

export function compilePolicy(
  settings: Organisation,
  crawlers: CrawlerCatalogue,
  ports: PressurePorts,
  {
    before,
    passes = new PassTable(),
    rules = atOnce(compileRules(rulesOf(settings))),
    challenge = atOnce(challengeTerms(settings)),
  }: Prepared = {},
): Policy {
  const isAllowlisted = compileAllowlist(settings.crawler_allowlist);
  const strengths = Strengths.of(settings.detection.reasons);
  const isUnchanged =
    before !== undefined && isDeepStrictEqual(before.counterSettings, settings.challenge);
  const counters: Counters = isUnchanged
    ? before
    : {
        counterSettings: settings.challenge,
        passPrice: PassPrice.of(settings, ports.clock),
        freePages: FreePages.of(settings),
        pressure: Pressure.of(settings, ports),
        sessionLimits: SessionLimits.of(settings, passes),
      };
  return {
    ...counters,
    organisation: settings.id,
    rules,
    isAllowlisted,
    features: settings.features,
    monitor: settings.monitor,
    strengths,
    challenge,
    traps: Traps.of(settings),
    look: compileLook(settings.branding, settings.challenge_page),
    ownPages: new OwnPages(settings),
    robots: robotsOf(settings, crawlers, { rules, isAllowlisted, strengths }),
  };
}

function robotsOf(
  settings: Organisation,
  crawlers: CrawlerCatalogue,
  crawlerPolicy: CrawlerPolicy,
): Buffer | undefined {
  const { robots_txt: robots } = settings;
  switch (robots?.kind) {
    case undefined:
      return undefined;
    case 'file':
      return Buffer.from(robots.text);
    case 'managed':
      return Buffer.from(managedRobots(crawlers, crawlerPolicy, robots));
  }
}

function compileAllowlist(
  entries: readonly AllowlistEntry[],
): (crawler: CatalogueCrawler) => boolean {
  const names = new Set<string>();
  const categories = new Set<string>();
  const rslCategories = new Set<string>();
  for (const entry of entries) {
    if (typeof entry === 'string') names.add(entry.toLowerCase());
    else if ('category' in entry) categories.add(entry.category);
    else rslCategories.add(entry.rsl_category);
  }
  return (crawler) =>
    names.has(crawler.name.toLowerCase()) ||
    categories.has(crawler.category) ||
    rslCategories.has(crawler.rslCategory);
}
