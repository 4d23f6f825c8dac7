import type { Clock } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import type { Close, ProcessContext } from '../process/process-context.ts';
import { publishedByCrawlers } from './crawlers-and-agents.ts';
import { publishedDatabases } from './databases.ts';
import { keepFresh, type Published } from './keep-fresh.ts';
import { publishedRuleLists } from './rule-lists.ts';

/**
 * Fetches the published data that the current settings allow. Lists of rules have their own queue, so that they do not
 * wait for the many lists of crawlers. `current` returns undefined during the start.
 */
export function keepPublished(current: () => Settings | undefined, context: ProcessContext): Close {
  const { clock, metrics } = context;
  const keep = (publishedFor: (settings: Settings, clock: Clock) => Published[]) =>
    keepFresh(() => {
      const settings = current();
      return settings ? publishedFor(settings, clock) : [];
    }, context);
  const lists = keep(publishedRuleLists);
  const crawlers = keep(publishedByCrawlers);
  const databases = keep(publishedDatabases);
  metrics.gauge('guard_rule_lists_age_seconds', () =>
    Math.round((clock() - (lists.oldestAt() ?? clock())) / 1000),
  );
  return async () => {
    await Promise.all([lists.close(), crawlers.close(), databases.close()]);
  };
}
