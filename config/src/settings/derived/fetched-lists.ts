import type { Settings } from '../schema.ts';
import type { FetchedList } from '../lists/list-copy.ts';

/**
 * The lists are stored beside the settings, because the rules contain only the entries of a list and not its source.
 */
const listsByOrganisations = new WeakMap<object, readonly FetchedList[]>();

export function rememberFetchedLists(
  { organisations }: Settings,
  fetchedLists: readonly FetchedList[],
): void {
  listsByOrganisations.set(organisations, fetchedLists);
}

/** The lists from URLs that rules use, without duplicates. */
export function fetchedListsOf({ organisations }: Settings): readonly FetchedList[] {
  return listsByOrganisations.get(organisations) ?? [];
}
