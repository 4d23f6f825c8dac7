import type { Match, RateLimit, Rule } from '../sections/rule.ts';
import { apt, containers, media, wpCron } from './application-matches.ts';
import { feeds, git, linkPreviews, monitors, webhooks, wellKnown } from './preset-matches.ts';
import { PRESET_PREFIX, type Preset, PRESETS } from '../sections/preset-names.ts';

interface PresetSettings {
  readonly presets: readonly Preset[];
  readonly webhook_paths: readonly string[];
}

/**
 * A feed can contain the whole content of a site. So one address can read only as many feeds as the feed readers of one
 * office need.
 */
const FEEDS_LIMIT: RateLimit = { requests: 300, per: 600_000, by: ['ip'] };

/**
 * Presets whose programs read no pages. If the origin still answers with a page, the page is counted
 * (validator/src/verdict/free-pages/pages-of-presets.ts). `apt` and `containers` are not in this list: their files
 * often have no content type, and a page can also have none.
 */
const WITHOUT_PAGES: readonly Preset[] = ['well-known', 'feeds', 'git', 'wp-cron', 'media'];
export const RULES_WITHOUT_PAGES: ReadonlySet<string> = new Set(
  WITHOUT_PAGES.map((preset) => PRESET_PREFIX + preset),
);

/**
 * Whether the answer to a request with this rule and path can be JSON or XML. This is so for feeds, answers to git-lfs,
 * files below `.well-known`, and manifests. `robots.txt` and the other files are text.
 */
export function answersData(rule: string, path: string): boolean {
  switch (rule) {
    case sharedRules.feeds.name:
      return true;
    case sharedRules.git.name:
      return path.includes('/info/lfs/');
    case sharedRules['well-known'].name:
      return /^\/\.well-known\/|\.json$/i.test(path);
    default:
      return false;
  }
}

/**
 * The rules of the presets, such as `preset:git`. They come after the rules of the user, whose blocks, budgets and
 * monitor mode decide first.
 */
export function presetRules({ presets, webhook_paths }: PresetSettings): Rule[] {
  return PRESETS.filter((preset) => presets.includes(preset)).map((preset) =>
    preset === 'webhooks' ? ruleOf(preset, webhooks(webhook_paths)) : sharedRules[preset],
  );
}

function ruleOf(preset: Preset, match: Match, limit?: RateLimit): Rule {
  const rule: Rule = { name: `${PRESET_PREFIX}${preset}`, match, verdict: 'allow' };
  return limit ? { ...rule, rate_limit: limit } : rule;
}

/** All organisations share these rules, so each match is compiled once. */
const sharedRules = {
  'well-known': ruleOf('well-known', wellKnown),
  feeds: ruleOf('feeds', feeds, FEEDS_LIMIT),
  git: ruleOf('git', git),
  monitors: ruleOf('monitors', monitors),
  'link-previews': ruleOf('link-previews', linkPreviews),
  'wp-cron': ruleOf('wp-cron', wpCron),
  apt: ruleOf('apt', apt),
  containers: ruleOf('containers', containers),
  media: ruleOf('media', media),
} satisfies Record<Exclude<Preset, 'webhooks'>, Rule>;
