import type { Settings } from '../schema.ts';
import type { FetchedList } from '../lists/list-copy.ts';

/** Kept beside the settings and not in them: rules hold the entries of a list, wherever they came from. */
const lists = new WeakMap<object, readonly FetchedList[]>();

/** Remembers which lists the rules take from URLs. */
export function rememberFetchedLists(
  { organisations }: Settings,
  fetched: readonly FetchedList[],
): void {
  lists.set(organisations, fetched);
}

/** The lists that the rules take from URLs, each once; none where no file was read. */
export function fetchedListsOf({ organisations }: Settings): readonly FetchedList[] {
  return lists.get(organisations) ?? [];
}
