import type { SettingPath } from '@guard/config/settings/problems';

/** What a good settings file may still be told about. */
export interface Remark {
  /** A warning is seldom meant; a hint may well be. */
  readonly level: 'warning' | 'hint';
  readonly path: SettingPath;
  readonly message: string;
}
