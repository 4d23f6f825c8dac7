import type { Clock } from '@guard/config/contract/ports';
import { fetchedListsOf } from '@guard/config/settings/derived/fetched-lists';
import { shownUrl } from '@guard/config/settings/lists/list-copy';
import type { Settings } from '@guard/config/settings/schema';
import type { Published } from './keep-fresh.ts';
import { lastGood, refreshRuleList } from './refresh-rule-list.ts';

/** A rule without its list is open, so the first fetch waits for no more than this. */
const SPREAD_MS = 3_000;

/**
 * The lists that rules take from URLs. The settings have the copy among their files, so a new one is read as a
 * changed file is.
 */
export function publishedRuleLists(settings: Settings, clock: Clock): Published[] {
  return fetchedListsOf(settings).map((list) => ({
    key: list.copy,
    name: `${list.kind} ${shownUrl(list.url)}`,
    every: list.every,
    spread: SPREAD_MS,
    keptAt() {
      const { origin } = lastGood(list);
      return origin && Date.parse(origin.fetched_at);
    },
    fetch: () => refreshRuleList(list, clock),
  }));
}
