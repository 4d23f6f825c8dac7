import type { DeskSettings } from '../../test/kit/desk-browsers.ts';
import type { ExtensionName } from './extensions.ts';

/** What a person does; unless said otherwise, they open one page by its address on the command line. */
export type Doing = 'address typed' | 'four tabs' | 'cookies cleared' | 'back, forward, reload';

/** Something that people set up, or do, otherwise than most. */
export interface Setting {
  readonly name: string;
  readonly engine: 'chromium' | 'firefox';
  readonly browser?: DeskSettings;
  /** An extension that the eval makes itself, like those that people install. Chromium only. */
  readonly extension?: ExtensionName;
  /** How a line to Guard is: answers held back, or every third connection cut. */
  readonly line?: 'slow' | 'lossy';
  /** How the address is put on the command line; as it is, unless said otherwise. */
  readonly opens?: (url: string) => string;
  readonly does?: Doing;
}
