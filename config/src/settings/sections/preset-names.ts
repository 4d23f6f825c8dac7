/** The presets that `organisations[].presets` can name, in the order in which their rules stand. */
export const PRESETS = [
  'well-known',
  'feeds',
  'git',
  'webhooks',
  'monitors',
  'link-previews',
] as const;
export type Preset = (typeof PRESETS)[number];

/** What the name of a preset's rule begins with; no rule of a user may begin so. */
export const PRESET_PREFIX = 'preset:';
