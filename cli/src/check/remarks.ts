import type { Settings } from '@guard/config/settings/schema';
import { acmeRemarks } from './acme-remarks.ts';
import { challengedVisitors, unlistedPages } from './challenged-visitors.ts';
import { remarksOnProtectedPaths } from './covered-paths.ts';
import { type Remark, warning } from './remark.ts';
import { idleRules, monitoredRules, unseenHandshakes, unservedHosts } from './rule-remarks.ts';
import { unknownAgents } from './unknown-agents.ts';

/** The warnings and hints about valid settings that need no connection. */
export function remarksOn(settings: Settings): Remark[] {
  const { organisations, sites } = settings;
  return [
    ...(settings.observe
      ? [warning(['observe'], 'observe is on: nothing is enforced on any site')]
      : []),
    ...organisations.flatMap((organisation, index) => [
      ...(organisation.monitor
        ? [
            warning(
              ['organisations', index, 'monitor'],
              `monitor is on: no block of organisation ${organisation.id} is enforced`,
            ),
          ]
        : []),
      ...idleRules(organisation, index),
      ...unservedHosts(organisation, index, sites),
      ...unlistedPages(organisation, index, settings),
      ...monitoredRules(organisation, index),
      ...challengedVisitors(organisation, index),
    ]),
    ...unknownAgents(settings),
    ...unseenHandshakes(settings),
    ...acmeRemarks(settings),
    ...sites.flatMap((site, index) => [
      ...(site.observe
        ? [warning(['sites', index, 'observe'], 'observe is on: nothing is enforced on this site')]
        : []),
      ...remarksOnProtectedPaths(site, index, settings),
    ]),
  ];
}
