import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from '../tool.ts';
import { visitAtDesk } from './desk.ts';

/** No first-run pages, nothing fetched from home; what pages can see is left as it comes. */
const PREFERENCES = {
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

export const personFirefoxTools: readonly Tool[] = [
  {
    name: 'a person, Firefox',
    variant: 'keyboard and mouse',
    goal: 'allowed 100 %',
    needs: { packages: [], programs: ['firefox-esr', 'Xvfb', 'xdotool'] },
    async visit(url, place) {
      const lines = Object.entries(PREFERENCES).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
      );
      await writeFile(join(place.profile, 'user.js'), lines.join('\n'));
      return visitAtDesk(
        {
          program: '/usr/bin/firefox-esr',
          args: ['--no-remote', '--profile', place.profile],
          windowClass: 'firefox',
          titleSuffix: / [-—] Mozilla Firefox$/,
        },
        url,
        place,
      );
    },
  },
];
