import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHROMIUM_FLAGS } from './chromium-flags.ts';

/** A feature that people switch off in their browser. */
export type RefusedFeature = 'scripts' | 'cookies' | 'storage';

/** A browser of people: how it starts, and how its window looks. */
export interface DeskBrowser {
  readonly name: string;
  readonly program: string;
  /** The X window class of the browser's windows. */
  readonly windowClass: string;
  /** The text that the browser appends to the title of a page. */
  readonly titleSuffix: RegExp;
  /** Variables that are added to the environment of the browser's process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Fills a profile folder, and returns the command line that uses it. */
  readonly prepare: (
    profile: string,
    refusedFeature?: RefusedFeature,
  ) => Promise<readonly string[]>;
}

/** Chromium's settings "do not allow sites to …", where 2 means no. Chromium refuses storage together with cookies. */
const CHROMIUM_SETTINGS: Readonly<Record<RefusedFeature, Readonly<Record<string, number>>>> = {
  scripts: { javascript: 2 },
  cookies: { cookies: 2 },
  storage: { cookies: 2 },
};

/** Settings of a browser that differ from the default. */
export interface DeskSettings {
  readonly switches?: readonly string[];
  /** The preferences: nested as in the file of Chromium, or flat as in Firefox. */
  readonly preferences?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Chromium with these settings. */
export function chromiumWith({
  switches = [],
  preferences = {},
  env = {},
}: DeskSettings): DeskBrowser {
  return {
    name: 'Chromium',
    program: 'chromium',
    windowClass: 'chromium',
    titleSuffix: / - Chromium$/,
    env,
    async prepare(profile, refusedFeature) {
      const refusals = refusedFeature === undefined ? {} : CHROMIUM_SETTINGS[refusedFeature];
      const refusedPermissions = { profile: { default_content_setting_values: refusals } };
      const allPreferences =
        refusedFeature === undefined ? preferences : { ...preferences, ...refusedPermissions };
      if (Object.keys(allPreferences).length > 0) {
        await mkdir(join(profile, 'Default'), { recursive: true });
        await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(allPreferences));
      }
      return [...CHROMIUM_FLAGS, `--user-data-dir=${profile}`, ...switches];
    },
  };
}

export const deskChromium: DeskBrowser = chromiumWith({});

/** No first-run pages, and no requests to the vendor. All settings that pages can see keep their default. */
const FIREFOX_PREFERENCES = {
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'datareporting.policy.dataSubmissionPolicyBypassNotification': true,
  'termsofuse.bypassNotification': true,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'app.normandy.enabled': false,
  'browser.newtabpage.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'intl.accept_languages': 'en-US, en',
};

const FIREFOX_REFUSALS: Readonly<
  Record<RefusedFeature, Readonly<Record<string, number | boolean>>>
> = {
  scripts: { 'javascript.enabled': false },
  cookies: { 'network.cookie.cookieBehavior': 2 },
  storage: { 'dom.storage.enabled': false },
};

/** Firefox with these settings. */
export function firefoxWith({
  switches = [],
  preferences = {},
  env = {},
}: DeskSettings): DeskBrowser {
  return {
    name: 'Firefox',
    program: 'firefox-esr',
    windowClass: 'firefox',
    titleSuffix: / [-—] Mozilla Firefox( Private Browsing)?$/,
    env,
    async prepare(profile, refusedFeature) {
      const refusals = refusedFeature === undefined ? {} : FIREFOX_REFUSALS[refusedFeature];
      const allPreferences = { ...FIREFOX_PREFERENCES, ...preferences, ...refusals };
      const lines = Object.entries(allPreferences).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
      );
      await writeFile(join(profile, 'user.js'), lines.join('\n'));
      return ['--no-remote', '--profile', profile, ...switches];
    },
  };
}

export const deskFirefox: DeskBrowser = firefoxWith({});
