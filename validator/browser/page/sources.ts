import type { SourceName } from '../../page-contract/evidence.ts';
import type { Source } from './source.ts';
import { answers } from './sources/answers.ts';
import { automation } from './sources/automation.ts';
import { cascade } from './sources/cascade.ts';
import { chrome } from './sources/chrome.ts';
import { desktop } from './sources/desktop.ts';
import { disguises } from './sources/disguises.ts';
import { engine } from './sources/engine.ts';
import { flooding } from './sources/flooding.ts';
import { fonts } from './sources/fonts.ts';
import { frame } from './sources/frame.ts';
import { graphics } from './sources/graphics.ts';
import { hardware } from './sources/hardware.ts';
import { hints } from './sources/hints.ts';
import { inspector } from './sources/inspector.ts';
import { languages } from './sources/languages.ts';
import { media } from './sources/media.ts';
import { partition } from './sources/partition.ts';
import { permissions } from './sources/permissions.ts';
import { plugins } from './sources/plugins.ts';
import { screenSizes } from './sources/screen.ts';
import { timezone } from './sources/timezone.ts';
import { webdriver } from './sources/webdriver.ts';
import { sharedWorker, worker } from './sources/worker.ts';

/** Sources that observe the page from its start to its end. */
type Watched = 'activation' | 'painting' | 'witnesses';

/**
 * All sources that are read once. Meanwhile collect.ts watches painting and input, and loads witnesses. Keep each
 * import and each entry on one line: the page programs of each hour have these lines in another order (../build.ts).
 */
export const sources: { readonly [N in Exclude<SourceName, Watched>]: Source<N> } = {
  webdriver,
  automation,
  hints,
  languages,
  plugins,
  chrome,
  engine,
  screen: screenSizes,
  hardware,
  desktop,
  timezone,
  permissions,
  graphics,
  worker,
  sharedWorker,
  frame,
  disguises,
  inspector,
  flooding,
  partition,
  cascade,
  answers,
  media,
  fonts,
};
