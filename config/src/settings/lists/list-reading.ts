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
 * The most entries of one kind in all lists from files together. A list that several rules share is counted once. A
 * list of `user_agent` is counted once for each rule, because each of these rules takes time in a request. Lists from
 * URLs are not counted: otherwise a publisher could prevent a start of Guard. Instead, the number of URLs is limited.
 */
const MAX_ALL_ENTRIES: Readonly<Record<ListKind, number>> = {
  ip: 1_000_000,
  asn: 1_000_000,
  user_agent: 10_000,
  ja4: 1_000_000,
};
const MAX_URLS = 16;

export type ListOutcome<Entry> =
  | { readonly kind: 'read'; readonly entries: readonly Entry[] }
  /** `message` begins with "expected". */
  | { readonly kind: 'refused'; readonly message: string }
  | {
      readonly kind: 'bad_lines';
      readonly file: string;
      readonly lines: readonly BadLine[];
      readonly badLineCount: number;
      readonly expected: string;
    };

/**
 * The lists of the last reading. The key is made of their kind and path. A list whose text has the same digest is not
 * parsed again.
 */
export type KnownLists = ReadonlyMap<string, KnownList>;

interface KnownList {
  readonly digest: string;
  readonly entries: readonly unknown[];
}

export interface ListOptions {
  /** The folder for copies of lists from URLs. Undefined if Guard has no folder for copies of lists. */
  readonly folder: string | undefined;
  readonly earlierLists?: KnownLists | undefined;
  /** Longer lists are refused, unless they are in `earlierLists`. */
  readonly maxBytes?: number;
}

/** The lists of one reading of the settings. */
export class ListReading {
  readonly #options: ListOptions;
  readonly #listsByKey = new Map<string, ListOutcome<unknown>>();
  readonly #fetchedLists = new Map<string, FetchedList>();
  /** Lists whose entries are counted for the limit. */
  readonly #fileLists = new Set<readonly unknown[]>();
  /** The key of each list. It is made of the kind and the file of the list. */
  readonly #keysByList = new Map<readonly unknown[], string>();
  readonly #nextKnown = new Map<string, KnownList>();
  readonly #joinedLists = new Map<string, readonly unknown[]>();
  readonly #entryCounts = { ip: 0, asn: 0, user_agent: 0, ja4: 0 };

  /** How often settings have used a list of this reading. */
  uses = 0;

  constructor(options: ListOptions) {
    this.#options = options;
  }

  /** The lists of this reading, for the next reading. */
  get nextKnown(): KnownLists {
    return this.#nextKnown;
  }

  get fetchedLists(): readonly FetchedList[] {
    return [...this.#fetchedLists.values()];
  }

  /** Reads a list from a file. A file that several rules name is read once. */
  readFile<Kind extends ListKind>(kind: Kind, path: string): ListOutcome<ListEntries[Kind]> {
    const list = this.#readOnce(kind, path);
    if (list.kind === 'read' && (kind === 'user_agent' || !this.#fileLists.has(list.entries))) {
      this.#fileLists.add(list.entries);
      this.#entryCounts[kind] += list.entries.length;
    }
    return this.#checkLimit(kind, list);
  }

  /**
   * Joins several lists and entries of a condition into one list. Rules with the same parts share this list. A part is
   * a list of this reading, or an array with one entry.
   */
  join<Entry>(kind: ListKind, parts: readonly (readonly Entry[])[]): ListOutcome<Entry> {
    const [firstPart] = parts;
    if (firstPart !== undefined && parts.length === 1) return { kind: 'read', entries: firstPart };
    const listParts = parts.filter((part) => this.#keysByList.has(part));
    if (listParts.length === 0) return { kind: 'read', entries: parts.flat() };
    const key = JSON.stringify([kind, ...parts.map((part) => this.#keysByList.get(part) ?? part)]);
    // The kind is part of the key, so the list has entries of this kind.
    const joinedEntries = this.#joinedLists.get(key) as readonly Entry[] | undefined;
    const digest = listParts
      .map((part) => this.#nextKnown.get(this.#keysByList.get(part) ?? '')?.digest)
      .join();
    const earlierEntries = this.#earlierEntriesOf(key, digest) as readonly Entry[] | undefined;
    const entries = joinedEntries ?? earlierEntries ?? parts.flat();
    this.#joinedLists.set(key, entries);
    this.#nextKnown.set(key, { digest, entries });
    if (joinedEntries === undefined && kind !== 'user_agent') {
      const countedLists = listParts.filter((list) => this.#fileLists.has(list));
      for (const { length } of countedLists) this.#entryCounts[kind] += length;
    }
    return this.#checkLimit(kind, { kind: 'read', entries });
  }

  #checkLimit<Entry>(kind: ListKind, list: ListOutcome<Entry>): ListOutcome<Entry> {
    const maxEntries = MAX_ALL_ENTRIES[kind];
    if (this.#entryCounts[kind] <= maxEntries) return list;
    const message = `expected lists of ${kind} with at most ${maxEntries} entries in all rules together`;
    return { kind: 'refused', message };
  }

  /**
   * The last good copy of a list. The list is empty if the copy is missing or damaged. `everyMs` is the time between two
   * fetches.
   */
  readUrl<Kind extends ListKind>(
    kind: Kind,
    url: string,
    everyMs: number,
  ): ListOutcome<ListEntries[Kind]> {
    const { folder } = this.#options;
    if (folder === undefined) {
      const message =
        'expected store.path, or analytics with the engine embedded: the last good copy of the list is kept in that folder';
      return { kind: 'refused', message };
    }
    const copyPath = copyOf(folder, kind, url);
    const { everyMs: shortestEveryMs = everyMs } = this.#fetchedLists.get(copyPath) ?? {};
    const list = this.#readOnce(kind, copyPath);
    const isRead = list.kind === 'read';
    this.#fetchedLists.set(copyPath, {
      kind,
      url,
      everyMs: Math.min(shortestEveryMs, everyMs),
      copyPath,
      isRead,
    });
    if (this.#fetchedLists.size > MAX_URLS) {
      return {
        kind: 'refused',
        message: `expected at most ${MAX_URLS} lists from URLs in all rules`,
      };
    }
    return isRead ? list : { kind: 'read', entries: [] };
  }

  #readOnce<Kind extends ListKind>(kind: Kind, path: string): ListOutcome<ListEntries[Kind]> {
    this.uses += 1;
    const key = `${kind} ${path}`;
    // The kind is part of the key, so the list has entries of this kind.
    const alreadyRead = this.#listsByKey.get(key) as ListOutcome<ListEntries[Kind]> | undefined;
    const list = alreadyRead ?? this.#parseFile(kind, path, key);
    this.#listsByKey.set(key, list);
    if (list.kind === 'read') this.#keysByList.set(list.entries, key);
    return list;
  }

  #parseFile<Kind extends ListKind>(
    kind: Kind,
    path: string,
    key: string,
  ): ListOutcome<ListEntries[Kind]> {
    const file = readTextFile(path, MAX_LIST_BYTES);
    if (file.kind !== 'read') {
      const fault = file.kind === 'not_utf8' ? 'a file that is not UTF-8' : file.reason;
      const message = `expected the path of a UTF-8 file of at most 8 MiB, relative to the folder of this file; there is ${fault}`;
      return { kind: 'refused', message };
    }
    const { text } = file;
    const digest = hash('sha256', text);
    const earlierEntries = this.#earlierEntriesOf(key, digest) as
      readonly ListEntries[Kind][] | undefined;
    if (earlierEntries === undefined && text.length > (this.#options.maxBytes ?? MAX_LIST_BYTES)) {
      return { kind: 'refused', message: 'expected a shorter list' };
    }
    const parsed: ParsedList<ListEntries[Kind]> =
      earlierEntries === undefined
        ? atOnce(parseList(text, kind))
        : { kind: 'parsed', entries: earlierEntries };
    switch (parsed.kind) {
      case 'parsed':
        this.#nextKnown.set(key, { digest, entries: parsed.entries });
        return { kind: 'read', entries: parsed.entries };
      case 'bad_lines':
        return { ...parsed, file: path };
      case 'too_long':
        return {
          kind: 'refused',
          message: `expected a list of at most ${parsed.maxEntries} entries`,
        };
    }
  }

  /** Callers can cast the entries safely, because the kind of the list is part of the key. */
  #earlierEntriesOf(key: string, digest: string): readonly unknown[] | undefined {
    const knownList = this.#options.earlierLists?.get(key);
    return knownList?.digest === digest ? knownList.entries : undefined;
  }
}

/** The current reading. Reading is synchronous, so there is only one at a time. */
let currentReading: ListReading | undefined;

export function currentLists(): ListReading {
  return currentReading ?? new ListReading({ folder: undefined });
}

/** Calls `read`, which checks settings against the schema. The lists that the settings name are read into `lists`. */
export function withLists<T>(lists: ListReading, read: () => T): T {
  const outerReading = currentReading;
  currentReading = lists;
  try {
    return read();
  } finally {
    currentReading = outerReading;
  }
}
