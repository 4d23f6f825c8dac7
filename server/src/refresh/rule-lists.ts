import type { Clock } from '@guard/config/contract/ports';
import { fetchedListsOf } from '@guard/config/settings/derived/fetched-lists';
import { shownUrl } from '@guard/config/settings/lists/list-copy';
import type { Settings } from '@guard/config/settings/schema';
import type { PublishedData } from './keep-fresh.ts';
import { readCopy, refreshRuleList } from './refresh-rule-list.ts';

/** The delay is short, because a rule matches nothing until the first fetch of its list. */
const SPREAD_MS = 3_000;

/** The lists of rules with a URL. Their copies count as files of the settings, so Guard watches them. */
export function publishedRuleLists(settings: Settings, clock: Clock): PublishedData[] {
  return fetchedListsOf(settings).map((list) => ({
    key: list.copyPath,
    name: `${list.kind} ${shownUrl(list.url)}`,
    everyMs: list.everyMs,
    spreadMs: SPREAD_MS,
    keptAt() {
      // The settings have read the entries already. Reading them again would stop all requests.
      const origin = list.isRead ? readCopy(list)?.origin : undefined;
      return origin && Date.parse(origin.fetched_at);
    },
    fetch: () => refreshRuleList(list, clock),
  }));
}
