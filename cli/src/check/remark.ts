import type { SettingPath } from '@guard/config/settings/problems';

/** What a good settings file may still be told about. */
export interface Remark {
  /** A warning is seldom meant; a hint may well be. */
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
