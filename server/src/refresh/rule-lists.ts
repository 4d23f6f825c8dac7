import type { Clock } from '@guard/config/contract/ports';
import { fetchedListsOf } from '@guard/config/settings/derived/fetched-lists';
import { shownUrl } from '@guard/config/settings/lists/list-copy';
import type { Settings } from '@guard/config/settings/schema';
import type { PublishedData } from './keep-fresh.ts';
import { readCopy, refreshRuleList } from './refresh-rule-list.ts';

/** The longest delay of the first fetch. It is short, because a rule matches nothing until its list was fetched. */
const SPREAD_MS = 3_000;

/** The lists that rules name by URL. Their copies are files of the settings, so Guard watches them. */
export function publishedRuleLists(settings: Settings, clock: Clock): PublishedData[] {
  return fetchedListsOf(settings).map((list) => ({
    key: list.copyPath,
    name: `${list.kind} ${shownUrl(list.url)}`,
    everyMs: list.everyMs,
    spreadMs: SPREAD_MS,
    keptAt() {
      // The entries were already read with the settings. Reading them again here would stop all requests for that time.
      const origin = list.isRead ? readCopy(list)?.origin : undefined;
      return origin && Date.parse(origin.fetched_at);
    },
    fetch: () => refreshRuleList(list, clock),
  }));
}
