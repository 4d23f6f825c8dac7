import type { DeskSettings } from '../../test/kit/desk-browsers.ts';
import type { ExtensionName } from './extensions.ts';

/** What a person does. By default a person opens one page by its address on the command line. */
export type Activity = 'address typed' | 'four tabs' | 'cookies cleared' | 'back, forward, reload';

/** An unusual setting or behaviour of people. */
export interface Setting {
  readonly name: string;
  readonly engine: 'chromium' | 'firefox';
  readonly browser?: DeskSettings;
  /** An extension of this eval that resembles real ones. Chromium only. */
  readonly extension?: ExtensionName;
  /** The connection to Guard: delayed answers, or every third connection cut. */
  readonly line?: 'slow' | 'lossy';
  /** The argument for a URL on the command line. The default is the URL itself. */
  readonly opens?: (url: string) => string;
  readonly does?: Activity;
}

/** Settings that do not depend on the browser. */
export const COMMON_SETTINGS: readonly Omit<Setting, 'engine'>[] = [
  { name: 'slow line', line: 'slow' },
  { name: 'lossy line', line: 'lossy' },
  { name: 'four tabs at once', does: 'four tabs' },
  { name: 'cookies cleared', does: 'cookies cleared' },
  { name: 'back, forward, reload', does: 'back, forward, reload' },
];
