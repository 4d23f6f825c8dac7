import type { Match, Rule } from '../sections/rule.ts';
import { apt, containers, media, wpCron } from './application-matches.ts';
import { feeds, git, linkPreviews, monitors, webhooks, wellKnown } from './preset-matches.ts';
import { PRESET_PREFIX, type Preset, PRESETS } from '../sections/preset-names.ts';

/** The settings of an organisation from which its presets are made. */
interface PresetSettings {
  readonly presets: readonly Preset[];
  readonly webhook_paths: readonly string[];
}

/**
 * One rule for each preset that is named, `preset:git` and so on, to stand behind the user's own. It
 * allows and sets nothing else: a block, a budget and the monitor mode of the user's rules still hold.
 */
export function presetRules({ presets, webhook_paths }: PresetSettings): Rule[] {
  return PRESETS.filter((preset) => presets.includes(preset)).map((preset) =>
    preset === 'webhooks' ? ruleOf(preset, webhooks(webhook_paths)) : shared[preset],
  );
}

function ruleOf(preset: Preset, match: Match): Rule {
  return { name: `${PRESET_PREFIX}${preset}`, match, verdict: 'allow' };
}

/** All organisations share these, so each is compiled once. */
const shared = {
  'well-known': ruleOf('well-known', wellKnown),
  feeds: ruleOf('feeds', feeds),
  git: ruleOf('git', git),
  monitors: ruleOf('monitors', monitors),
  'link-previews': ruleOf('link-previews', linkPreviews),
  'wp-cron': ruleOf('wp-cron', wpCron),
  apt: ruleOf('apt', apt),
  containers: ruleOf('containers', containers),
  media: ruleOf('media', media),
} satisfies Record<Exclude<Preset, 'webhooks'>, Rule>;
