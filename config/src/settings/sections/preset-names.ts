/** The presets for `organisations[].presets`, in the order of their rules. */
export const PRESETS = [
  'well-known',
  'feeds',
  'git',
  'webhooks',
  'monitors',
  'link-previews',
  'wp-cron',
  'apt',
  'containers',
  'media',
] as const;
export type Preset = (typeof PRESETS)[number];

/** The prefix of preset rule names. A user's rule must not have it. */
export const PRESET_PREFIX = 'preset:';
