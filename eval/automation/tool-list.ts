import type { Tool } from './tool.ts';
import { attachedTools } from './tools/attached.ts';
import { firefoxRemoteTools } from './tools/firefox-remote.ts';
import { happyDomTools } from './tools/happy-dom.ts';
import { headlessShellTools } from './tools/headless-shell.ts';
import { jsdomTools } from './tools/jsdom.ts';
import { ownSwitchesTools } from './tools/own-switches.ts';
import { patchrightTools } from './tools/patchright.ts';
import { personChromiumTools } from './tools/person-chromium.ts';
import { personFirefoxTools } from './tools/person-firefox.ts';
import { playwrightTools } from './tools/playwright.ts';
import { puppeteerFirefoxTools } from './tools/puppeteer-firefox.ts';
import { puppeteerStealthTools } from './tools/puppeteer-stealth.ts';
import { puppeteerTools } from './tools/puppeteer.ts';
import { rawCdpTools } from './tools/raw-cdp.ts';
import { rebrowserPlaywrightTools } from './tools/rebrowser-playwright.ts';
import { rebrowserPuppeteerTools } from './tools/rebrowser-puppeteer.ts';
import { renamedChromedriverTools } from './tools/renamed-chromedriver.ts';
import { seleniumFirefoxTools } from './tools/selenium-firefox.ts';
import { seleniumTools } from './tools/selenium.ts';

/** Everybody who visits, in the order of the table. */
export const tools: readonly Tool[] = [
  ...personChromiumTools,
  ...personFirefoxTools,
  ...playwrightTools,
  ...headlessShellTools,
  ...puppeteerTools,
  ...seleniumTools,
  ...puppeteerFirefoxTools,
  ...seleniumFirefoxTools,
  ...puppeteerStealthTools,
  ...patchrightTools,
  ...rebrowserPlaywrightTools,
  ...rebrowserPuppeteerTools,
  ...ownSwitchesTools,
  ...attachedTools,
  ...rawCdpTools,
  ...renamedChromedriverTools,
  ...firefoxRemoteTools,
  ...jsdomTools,
  ...happyDomTools,
];
