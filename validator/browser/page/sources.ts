import type { SourceName } from '../../src/challenge/evidence/evidence.ts';
import type { Source } from './source.ts';
import { answers } from './sources/answers.ts';
import { automation } from './sources/automation.ts';
import { cascade } from './sources/cascade.ts';
import { chrome } from './sources/chrome.ts';
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
import { layout } from './sources/layout.ts';
import { media } from './sources/media.ts';
import { partition } from './sources/partition.ts';
import { permissions } from './sources/permissions.ts';
import { plugins } from './sources/plugins.ts';
import { screenSizes } from './sources/screen.ts';
import { timezone } from './sources/timezone.ts';
import { webdriver } from './sources/webdriver.ts';
import { worker } from './sources/worker.ts';

/**
 * Everything that is read, once each. Painting is watched meanwhile, and witnesses are loaded (collect.ts). The programs
 * of each hour have these lines in an order of their own (../build.ts), so each import and each entry is one line.
 */
export const sources: { readonly [N in Exclude<SourceName, 'painting' | 'witnesses'>]: Source<N> } =
  {
    webdriver,
    automation,
    hints,
    languages,
    plugins,
    chrome,
    engine,
    screen: screenSizes,
    hardware,
    timezone,
    permissions,
    graphics,
    worker,
    frame,
    disguises,
    inspector,
    flooding,
    partition,
    layout,
    cascade,
    answers,
    media,
    fonts,
  };
