import type { Clock } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import type { Close, ProcessContext } from '../process/process-context.ts';
import { publishedByCrawlers } from './crawlers-and-agents.ts';
import { publishedDatabases } from './databases.ts';
import { keepFresh, type PublishedData } from './keep-fresh.ts';
import { publishedRuleLists } from './rule-lists.ts';

/**
 * Fetches the published data that the current settings allow. The lists of rules are fetched separately, so that they
 * do not wait for the many lists of crawlers. `currentSettings` returns undefined during the start.
 */
export function keepPublished(
  currentSettings: () => Settings | undefined,
  context: ProcessContext,
): Close {
  const { clock, metrics } = context;
  const keepEach = (publishedFor: (settings: Settings, clock: Clock) => PublishedData[]) =>
    keepFresh(() => {
      const settings = currentSettings();
      return settings ? publishedFor(settings, clock) : [];
    }, context);
  const lists = keepEach(publishedRuleLists);
  const crawlers = keepEach(publishedByCrawlers);
  const databases = keepEach(publishedDatabases);
  metrics.gauge('guard_rule_lists_age_seconds', () =>
    Math.round((clock() - (lists.oldestAt() ?? clock())) / 1000),
  );
  return async () => {
    await Promise.all([lists.close(), crawlers.close(), databases.close()]);
  };
}
