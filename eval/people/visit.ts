import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Desk, openAtDesk } from '../../test/kit/browsers/desk.ts';
import {
  chromiumWith,
  type DeskBrowser,
  firefoxWith,
} from '../../test/kit/browsers/desk-browsers.ts';
import type { BrowserResources } from '../automation/tool.ts';
import { loadExtension } from './extensions.ts';
import type { Scenario } from './scenario.ts';

/** Functions that return the URL of a page, and whether the site has served a page. */
export interface Target {
  urlOf(path: string): string;
  wasReached(path: string): boolean;
}

/** The time limit for a page, in milliseconds. After this time the person is counted as not arrived. */
const ARRIVAL_MS = 30_000;
/**
 * The wait after going back, going forward or reloading. Such a page needs perhaps no request. If it sends requests,
 * they come within this time.
 */
const TURN_MS = 3_000;

/** The pages that a person wants to see. */
const PAGES = {
  'one page': [1],
  'address typed': [1],
  'four tabs': [1, 2, 3, 4],
  'cookies cleared': [1, 2],
  'back, forward, reload': [1, 2],
} as const;

/** Makes one visit of a person with an empty profile. Returns the paths that the person wanted to see. */
export async function visitOf(
  setting: Scenario,
  resources: BrowserResources,
  target: Target,
  prefix: string,
): Promise<readonly string[]> {
  const { argumentFor = (url: string) => url, activity } = setting;
  const paths = PAGES[activity ?? 'one page'].map((page) => `${prefix}${page}`);
  const [first = '', second = ''] = paths;
  const browser = await browserOf(setting, resources);
  const whenArrived = async (path: string) => {
    const endMs = Date.now() + ARRIVAL_MS;
    while (!target.wasReached(path) && Date.now() < endMs) await wait(100);
  };
  const sit = async (open: readonly string[], then?: (desk: Desk) => Promise<void>) => {
    const urls = open.map((path) => argumentFor(target.urlOf(path)));
    const desk = await openAtDesk(browser, resources, { urls });
    try {
      for (const path of open) await whenArrived(path);
      await then?.(desk);
    } finally {
      await desk.close();
    }
  };
  switch (activity) {
    case 'address typed':
      await sit([], async (desk) => {
        await desk.goTo(target.urlOf(first));
        await whenArrived(first);
      });
      break;
    case undefined:
    case 'four tabs':
      await sit(paths);
      break;
    case 'cookies cleared':
      await sit([first]);
      await clearCookies(resources);
      await sit([second]);
      break;
    case 'back, forward, reload':
      await sit([first], async (desk) => {
        await desk.goTo(target.urlOf(second));
        await whenArrived(second);
        for (const key of ['alt+Left', 'alt+Right', 'F5']) {
          await desk.press(key);
          await wait(TURN_MS);
        }
      });
      break;
  }
  return paths;
}

async function browserOf(
  { engine, browserSettings: browser, extension }: Scenario,
  resources: BrowserResources,
): Promise<DeskBrowser> {
  if (engine === 'firefox') return firefoxWith(browser ?? {});
  if (extension === undefined) return chromiumWith(browser ?? {});
  return chromiumWith({ ...browser, switches: await loadExtension(resources.profile, extension) });
}

/** Clears the cookies between two visits, while the browser is closed. */
async function clearCookies({ profile }: BrowserResources): Promise<void> {
  for (const file of ['Default/Cookies', 'Default/Network/Cookies', 'cookies.sqlite'])
    await rm(join(profile, file), { force: true });
}
