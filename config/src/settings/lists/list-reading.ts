import { readTextFile } from '../values/files.ts';
import { copyOf, type FetchedList } from './list-copy.ts';
import {
  type BadLine,
  type ListEntries,
  type ListKind,
  MAX_LIST_BYTES,
  parseList,
} from './list-text.ts';

/**
 * Most entries of one kind in all lists from files together. Rules share a list, so it counts once. One of `user_agent`
 * counts for each rule that names it, because a request takes time for each of them. Lists from URLs do not count, because
 * a publisher must not be able to stop a start. Their number is limited instead.
 */
const MAX_ALL_ENTRIES: Readonly<Record<ListKind, number>> = {
  ip: 1_000_000,
  asn: 1_000_000,
  user_agent: 10_000,
  ja4: 1_000_000,
};
const MAX_URLS = 16;

/** The result of reading a list that the settings name. */
export type ReadList<Entry> =
  | { readonly kind: 'read'; readonly entries: readonly Entry[] }
  /** `message` begins with "expected". */
  | { readonly kind: 'refused'; readonly message: string }
  | {
      readonly kind: 'bad_lines';
      readonly file: string;
      readonly lines: readonly BadLine[];
      readonly count: number;
      readonly expected: string;
    };

/** The lists of one reading of the settings. */
class ListReading {
  /** The folder with the copies of fetched lists. Undefined if Guard has no folder for them. */
  readonly #folder: string | undefined;
  readonly #read = new Map<string, ReadList<unknown>>();
  readonly #fetched = new Map<string, FetchedList>();
  /** Lists that count towards the most entries. */
  readonly #files = new Set<readonly unknown[]>();
  /** What each list was read from. */
  readonly #lists = new Map<readonly unknown[], string>();
  readonly #joined = new Map<string, readonly unknown[]>();
  readonly #entries = { ip: 0, asn: 0, user_agent: 0, ja4: 0 };

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  get fetched(): readonly FetchedList[] {
    return [...this.#fetched.values()];
  }

  /** A list from a file. A file that two rules name is read once. */
  file<Kind extends ListKind>(kind: Kind, path: string): ReadList<ListEntries[Kind]> {
    const list = this.#once(kind, path);
    if (list.kind === 'read' && (kind === 'user_agent' || !this.#files.has(list.entries))) {
      this.#files.add(list.entries);
      this.#entries[kind] += list.entries.length;
    }
    return this.#withinMost(kind, list);
  }

  /**
   * Several lists and entries of a condition in one list. Rules with the same ones share it. A part is a list of this
   * reading, or one entry.
   */
  join<Entry>(kind: ListKind, parts: readonly (readonly Entry[])[]): ReadList<Entry> {
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return { kind: 'read', entries: only };
    const lists = parts.filter((part) => this.#lists.has(part));
    if (lists.length === 0) return { kind: 'read', entries: parts.flat() };
    const key = JSON.stringify([kind, ...parts.map((part) => this.#lists.get(part) ?? part)]);
    // The kind is part of the key, so the list has entries of this kind.
    const known = this.#joined.get(key) as readonly Entry[] | undefined;
    const entries = known ?? parts.flat();
    this.#joined.set(key, entries);
    if (known === undefined && kind !== 'user_agent') {
      const counted = lists.filter((list) => this.#files.has(list));
      for (const { length } of counted) this.#entries[kind] += length;
    }
    return this.#withinMost(kind, { kind: 'read', entries });
  }

  #withinMost<Entry>(kind: ListKind, list: ReadList<Entry>): ReadList<Entry> {
    const most = MAX_ALL_ENTRIES[kind];
    if (this.#entries[kind] <= most) return list;
    const message = `expected lists of ${kind} with at most ${most} entries in all rules together`;
    return { kind: 'refused', message };
  }

  /** The last good copy of a list from a URL. The list is empty if the copy is missing or damaged. */
  url<Kind extends ListKind>(kind: Kind, url: string, every: number): ReadList<ListEntries[Kind]> {
    if (this.#folder === undefined) {
      const message =
        'expected store.path, or analytics with the engine embedded: the last good copy of the list is kept in that folder';
      return { kind: 'refused', message };
    }
    const copy = copyOf(this.#folder, kind, url);
    const { every: often = every } = this.#fetched.get(copy) ?? {};
    const list = this.#once(kind, copy);
    const isRead = list.kind === 'read';
    this.#fetched.set(copy, { kind, url, every: Math.min(often, every), copy, isRead });
    if (this.#fetched.size > MAX_URLS) {
      return {
        kind: 'refused',
        message: `expected at most ${MAX_URLS} lists of URLs in all rules`,
      };
    }
    return isRead ? list : { kind: 'read', entries: [] };
  }

  #once<Kind extends ListKind>(kind: Kind, path: string): ReadList<ListEntries[Kind]> {
    const key = `${kind} ${path}`;
    // The kind is part of the key, so the list has entries of this kind.
    const known = this.#read.get(key) as ReadList<ListEntries[Kind]> | undefined;
    const list = known ?? readList(kind, path);
    this.#read.set(key, list);
    if (list.kind === 'read') this.#lists.set(list.entries, path);
    return list;
  }
}

function readList<Kind extends ListKind>(kind: Kind, path: string): ReadList<ListEntries[Kind]> {
  const file = readTextFile(path, MAX_LIST_BYTES);
  if (file.kind !== 'read') {
    const found = file.kind === 'not_utf8' ? 'a file that is not UTF-8' : file.reason;
    const message = `expected a UTF-8 file of at most 8 MiB, relative to this one; there is ${found}`;
    return { kind: 'refused', message };
  }
  const parsed = parseList(file.text, kind);
  switch (parsed.kind) {
    case 'parsed':
      return { kind: 'read', entries: parsed.entries };
    case 'bad_lines':
      return { ...parsed, file: path };
    case 'too_long':
      return { kind: 'refused', message: `expected a list of at most ${parsed.most} entries` };
  }
}

/** The current reading. Reading is synchronous, so there is only one at a time. */
let current: ListReading | undefined;

/** The lists of the current reading. */
export function currentLists(): ListReading {
  return current ?? new ListReading(undefined);
}

/**
 * Calls `read`, which checks settings against the schema and reads the lists that they name. Copies of fetched lists
 * are in `folder`. The result also has the lists that come from URLs.
 */
export function readingLists<T>(
  folder: string | undefined,
  read: () => T,
): { readonly result: T; readonly fetched: readonly FetchedList[] } {
  const lists = new ListReading(folder);
  const before = current;
  current = lists;
  try {
    return { result: read(), fetched: lists.fetched };
  } finally {
    current = before;
  }
}
