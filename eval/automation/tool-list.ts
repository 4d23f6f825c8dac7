import type { Tool } from './tool.ts';
import { attachedTools } from './tools/attached.ts';
import {
  hidingDriverTools,
  personSwitchesTools,
  plainDriverTools,
} from './tools/chromium-drivers.ts';
import { domLibraryTools } from './tools/dom-libraries.ts';
import { firefoxDriverTools } from './tools/firefox-drivers.ts';
import { firefoxRemoteTools } from './tools/firefox-remote.ts';
import { personTools } from './tools/person.ts';
import { rawCdpTools } from './tools/raw-cdp.ts';
import { renamedChromedriverTools } from './tools/renamed-chromedriver.ts';
import { seleniumTools } from './tools/selenium.ts';

/** All tools and people, in the order of the table. */
export const tools: readonly Tool[] = [
  ...personTools,
  ...plainDriverTools,
  ...seleniumTools,
  ...firefoxDriverTools,
  ...hidingDriverTools,
  ...personSwitchesTools,
  ...attachedTools,
  ...rawCdpTools,
  ...renamedChromedriverTools,
  ...firefoxRemoteTools,
  ...domLibraryTools,
];
