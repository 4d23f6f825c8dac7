import { hash } from 'node:crypto';
import { atOnce } from '../../time/slices.ts';
import { readTextFile } from '../values/files.ts';
import { copyOf, type FetchedList } from './list-copy.ts';
import {
  type BadLine,
  type ListEntries,
  type ListKind,
  MAX_LIST_BYTES,
  type ParsedList,
  parseList,
} from './list-text.ts';

/**
 * Most entries of one kind in all lists from files together. Rules share a list, so it counts once. A list of
 * `user_agent` counts once per rule, because each of these rules takes time in a request. Lists from URLs do not count,
 * because a publisher must not be able to prevent a start. The number of URLs is limited instead.
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

/** Lists that were read before, by their source. A list with the same digest is not read again. */
export type KnownLists = ReadonlyMap<string, KnownList>;

interface KnownList {
  readonly digest: string;
  readonly entries: readonly unknown[];
}

export interface ListOptions {
  /** The folder with the copies of fetched lists. Undefined if Guard has no folder for them. */
  readonly folder: string | undefined;
  readonly known?: KnownLists | undefined;
  /** Longer lists are refused, unless they are known. */
  readonly mostBytes?: number;
}

/** The lists of one reading of the settings. */
export class ListReading {
  readonly #options: ListOptions;
  readonly #read = new Map<string, ReadList<unknown>>();
  readonly #fetched = new Map<string, FetchedList>();
  /** Lists that count towards the limit of entries. */
  readonly #files = new Set<readonly unknown[]>();
  /** The source of each list. */
  readonly #lists = new Map<readonly unknown[], string>();
  readonly #next = new Map<string, KnownList>();
  readonly #joined = new Map<string, readonly unknown[]>();
  readonly #entries = { ip: 0, asn: 0, user_agent: 0, ja4: 0 };

  /** How often a setting has used a list. */
  uses = 0;

  constructor(options: ListOptions) {
    this.#options = options;
  }

  /** The lists of this reading, for the next reading. */
  get known(): KnownLists {
    return this.#next;
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
   * Joins several lists and entries of a condition into one list. Rules with the same parts share it. A part is a list
   * of this reading, or one entry.
   */
  join<Entry>(kind: ListKind, parts: readonly (readonly Entry[])[]): ReadList<Entry> {
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return { kind: 'read', entries: only };
    const lists = parts.filter((part) => this.#lists.has(part));
    if (lists.length === 0) return { kind: 'read', entries: parts.flat() };
    const key = JSON.stringify([kind, ...parts.map((part) => this.#lists.get(part) ?? part)]);
    // The kind is part of the key, so the list has entries of this kind.
    const known = this.#joined.get(key) as readonly Entry[] | undefined;
    const digest = lists.map((part) => this.#next.get(this.#lists.get(part) ?? '')?.digest).join();
    const before = this.#knownBefore(key, digest) as readonly Entry[] | undefined;
    const entries = known ?? before ?? parts.flat();
    this.#joined.set(key, entries);
    this.#next.set(key, { digest, entries });
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
    const { folder } = this.#options;
    if (folder === undefined) {
      const message =
        'expected store.path, or analytics with the engine embedded: the last good copy of the list is kept in that folder';
      return { kind: 'refused', message };
    }
    const copy = copyOf(folder, kind, url);
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
    this.uses += 1;
    const key = `${kind} ${path}`;
    // The kind is part of the key, so the list has entries of this kind.
    const known = this.#read.get(key) as ReadList<ListEntries[Kind]> | undefined;
    const list = known ?? this.#readList(kind, path, key);
    this.#read.set(key, list);
    if (list.kind === 'read') this.#lists.set(list.entries, key);
    return list;
  }

  #readList<Kind extends ListKind>(
    kind: Kind,
    path: string,
    key: string,
  ): ReadList<ListEntries[Kind]> {
    const file = readTextFile(path, MAX_LIST_BYTES);
    if (file.kind !== 'read') {
      const found = file.kind === 'not_utf8' ? 'a file that is not UTF-8' : file.reason;
      const message = `expected a UTF-8 file of at most 8 MiB, relative to this one; there is ${found}`;
      return { kind: 'refused', message };
    }
    const { text } = file;
    const digest = hash('sha256', text);
    const before = this.#knownBefore(key, digest) as readonly ListEntries[Kind][] | undefined;
    if (before === undefined && text.length > (this.#options.mostBytes ?? MAX_LIST_BYTES)) {
      return { kind: 'refused', message: 'expected a shorter list' };
    }
    const parsed: ParsedList<ListEntries[Kind]> =
      before === undefined ? atOnce(parseList(text, kind)) : { kind: 'parsed', entries: before };
    switch (parsed.kind) {
      case 'parsed':
        this.#next.set(key, { digest, entries: parsed.entries });
        return { kind: 'read', entries: parsed.entries };
      case 'bad_lines':
        return { ...parsed, file: path };
      case 'too_long':
        return { kind: 'refused', message: `expected a list of at most ${parsed.most} entries` };
    }
  }

  /** The key has the kind of the list, so the entries are of this kind. */
  #knownBefore(key: string, digest: string): readonly unknown[] | undefined {
    const before = this.#options.known?.get(key);
    return before?.digest === digest ? before.entries : undefined;
  }
}

/** The current reading. Reading is synchronous, so there is only one at a time. */
let current: ListReading | undefined;

/** The lists of the current reading. */
export function currentLists(): ListReading {
  return current ?? new ListReading({ folder: undefined });
}

/** Calls `read`, which checks settings against the schema. The lists that they name are read into `lists`. */
export function readingLists<T>(lists: ListReading, read: () => T): T {
  const before = current;
  current = lists;
  try {
    return read();
  } finally {
    current = before;
  }
}
