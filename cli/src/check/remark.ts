import type { SettingPath } from '@guard/config/settings/problems/problems';

/** A warning or a hint about valid settings. */
export interface Remark {
  /** A warning is usually a mistake. A hint is about a setting that can be intended. */
  readonly level: 'warning' | 'hint';
  readonly path: SettingPath;
  readonly message: string;
}

export function warning(path: SettingPath, message: string): Remark {
  return { level: 'warning', path, message };
}

export function hint(path: SettingPath, message: string): Remark {
  return { level: 'hint', path, message };
}
