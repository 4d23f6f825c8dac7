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
  return PRESETS.filter((preset) => presets.includes(preset)).map((preset) => ({
    name: `${PRESET_PREFIX}${preset}`,
    match: matchOf(preset, webhook_paths),
    verdict: 'allow',
  }));
}

function matchOf(preset: Preset, webhookPaths: readonly string[]): Match {
  switch (preset) {
    case 'well-known':
      return wellKnown;
    case 'feeds':
      return feeds;
    case 'git':
      return git;
    case 'webhooks':
      return webhooks(webhookPaths);
    case 'monitors':
      return monitors;
    case 'link-previews':
      return linkPreviews;
    case 'wp-cron':
      return wpCron;
    case 'apt':
      return apt;
    case 'containers':
      return containers;
    case 'media':
      return media;
  }
}
