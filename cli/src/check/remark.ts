import type { SettingPath } from '@guard/config/settings/problems/problems';

/** A warning or a hint about a good settings file. */
export interface Remark {
  /** What a warning names is seldom meant. What a hint names may well be meant. */
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
