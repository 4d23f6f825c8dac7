import { literalFolder } from '@guard/config/matching/glob';
import { canonicalHost } from '@guard/config/matching/host';
import type { Match } from '@guard/config/settings/sections/rule';
import type { Sliced } from '@guard/config/time/slices';
import type { Facts } from '../request/facts.ts';

/** Positions of rules in the list of rules, in ascending order. */
type RuleIndexes = readonly number[];

/** Finds the positions of the rules that could match a request, in ascending order. */
export interface FindRules {
  /**
   * Each call of `next` returns the next position, and {@link END} at the end. Read all positions before the next call
   * of `find`.
   */
  find(request: IndexedRequest): { next(): number };
}

/** The parts of a request that {@link RuleIndex} reads. */
type IndexedRequest = Pick<Facts, 'method' | 'foldedPaths'> & {
  readonly url: { readonly host: string };
};

/**
 * Maximum number of entries of one rule. A rule with more combinations of hosts, paths and methods is found only by its
 * hosts. Without hosts, it is tested for each request.
 */
const MAX_ENTRIES = 10_000;

/**
 * Finds the rules that could match a request. It uses the request's host, the first segments of its path, and its
 * method. It leaves out only rules that cannot match, and keeps the order, so the decision is the same as without the
 * index.
 */
export class RuleIndex implements FindRules {
  readonly #rulesByHost = new Map<string, ByPath>();
  /** Rules for hosts such as `*.shop.example`. The key is the part after the first dot. */
  readonly #rulesByParent = new Map<string, ByPath>();
  readonly #rulesOfAnyHost = new ByPath();

  /** Builds the index. The generator pauses after each rule. */
  static *build(matches: readonly Match[]): Sliced<RuleIndex> {
    const index = new RuleIndex();
    for (const [place, match] of matches.entries()) {
      index.#add(match, place);
      yield;
    }
    return index;
  }

  #add({ host: hosts = [], path: paths = [], method: methods = [] }: Match, place: number): void {
    const anyHostTables = hosts.includes('*') || hosts.length === 0 ? [this.#rulesOfAnyHost] : [];
    const hostNames = anyHostTables.length === 0 ? hosts : [];
    const folders = foldersOf(paths);
    const entries = (folders?.length ?? 1) * Math.max(1, methods.length);
    const isLarge = Math.max(1, hostNames.length) * entries > MAX_ENTRIES;
    const hostTables = [
      ...anyHostTables,
      ...hostNames.flatMap((name) => this.#tableOf(name) ?? []),
    ];
    for (const table of hostTables.length > 1 ? new Set(hostTables) : hostTables) {
      table.add(place, isLarge ? undefined : folders, isLarge ? [] : methods);
    }
  }

  /** The table for a host name. Undefined for a name that is no host, because no request has such a host. */
  #tableOf(name: string): ByPath | undefined {
    const isParent = name.startsWith('*.');
    const host = canonicalHost(isParent ? name.slice(2) : name);
    return host === undefined
      ? undefined
      : entryOf(isParent ? this.#rulesByParent : this.#rulesByHost, host, ByPath);
  }

  find(request: IndexedRequest): Cursor {
    cursor.clear();
    this.#rulesOfAnyHost.find(request, cursor);
    const { host } = request.url;
    if (this.#rulesByHost.size > 0) this.#findByHost(host, request);
    if (this.#rulesByParent.size > 0) this.#findByParent(host, request);
    return cursor;
  }

  #findByHost(host: string, request: IndexedRequest): void {
    // The first look-up is enough for most hosts, because they are in canonical form.
    const direct = this.#rulesByHost.get(host);
    const table = direct ?? this.#rulesByHost.get(canonicalHost(host) ?? '');
    table?.find(request, cursor);
  }

  #findByParent(writtenHost: string, request: IndexedRequest): void {
    const host = canonicalHost(writtenHost) ?? '';
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      this.#rulesByParent.get(host.slice(dot + 1))?.find(request, cursor);
    }
  }
}

/** Folders that contain all paths that can match. Undefined when there are no such folders. */
function foldersOf(paths: NonNullable<Match['path']>): readonly string[] | undefined {
  const folders = new Set<string>();
  for (const pattern of paths) {
    const folder = typeof pattern === 'string' ? literalFolder(pattern) : undefined;
    if (folder === undefined) return undefined;
    folders.add(folder);
  }
  return folders.size === 0 ? undefined : [...folders];
}

/** Rules by the folders of their paths. */
class ByPath {
  readonly #rulesByFolder = new Map<string, ByMethod>();
  readonly #rulesOfAnyPath = new ByMethod();
  /** Number of segments of the deepest folder. */
  #depth = 0;

  add(place: number, folders: readonly string[] | undefined, methods: readonly string[]): void {
    if (folders === undefined) this.#rulesOfAnyPath.add(place, methods);
    for (const folder of folders ?? []) {
      entryOf(this.#rulesByFolder, folder, ByMethod).add(place, methods);
      this.#depth = Math.max(this.#depth, folder.split('/').length);
    }
  }

  find({ method, foldedPaths }: IndexedRequest, into: Cursor): void {
    this.#rulesOfAnyPath.find(method, into);
    if (this.#depth === 0) return;
    for (const path of foldedPaths) this.#findPath(path, method, into);
  }

  /** Looks up the folder of each depth. For `/a/b/c` these are `/a`, `/a/b` and `/a/b/c`. */
  #findPath(path: string, method: string, into: Cursor): void {
    let end = path.indexOf('/', 1);
    for (let depth = 1; end !== -1 && depth <= this.#depth; depth += 1) {
      this.#rulesByFolder.get(path.slice(0, end))?.find(method, into);
      end = path.indexOf('/', end + 1);
    }
    if (end === -1) this.#rulesByFolder.get(path)?.find(method, into);
  }
}

class ByMethod {
  readonly #placesByMethod = new Map<string, number[]>();
  readonly #placesOfAnyMethod: number[] = [];

  add(place: number, methods: readonly string[]): void {
    if (methods.length === 0) {
      this.#placesOfAnyMethod.push(place);
      return;
    }
    for (const method of new Set(methods.map((name) => name.toUpperCase()))) {
      const places = this.#placesByMethod.get(method);
      if (places === undefined) this.#placesByMethod.set(method, [place]);
      else places.push(place);
    }
  }

  find(method: string, into: Cursor): void {
    into.add(this.#placesOfAnyMethod);
    if (this.#placesByMethod.size > 0) into.add(this.#placesByMethod.get(method));
  }
}

function entryOf<Entry>(map: Map<string, Entry>, key: string, EntryClass: new () => Entry): Entry {
  const knownEntry = map.get(key);
  if (knownEntry !== undefined) return knownEntry;
  const newEntry = new EntryClass();
  map.set(key, newEntry);
  return newEntry;
}

/** The value of `next` after the last position. */
export const END = -1;

/**
 * Merges several lists of positions. It returns each position once, in ascending order. All requests use one Cursor
 * object, so that a request creates no garbage.
 */
class Cursor {
  readonly #lists: RuleIndexes[] = [];
  readonly #positions: number[] = [];
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  add(places: RuleIndexes | undefined): void {
    if (places === undefined || places.length === 0) return;
    this.#lists[this.#count] = places;
    this.#positions[this.#count] = 0;
    this.#count += 1;
  }

  /** The next position, or END. */
  next(): number {
    let nextPlace = Number.POSITIVE_INFINITY;
    for (let list = 0; list < this.#count; list += 1) {
      const place = this.#placeIn(list);
      if (place < nextPlace) nextPlace = place;
    }
    if (nextPlace === Number.POSITIVE_INFINITY) return END;
    for (let list = 0; list < this.#count; list += 1) {
      if (this.#placeIn(list) === nextPlace)
        this.#positions[list] = (this.#positions[list] ?? 0) + 1;
    }
    return nextPlace;
  }

  #placeIn(list: number): number {
    return this.#lists[list]?.[this.#positions[list] ?? 0] ?? Number.POSITIVE_INFINITY;
  }
}

const cursor = new Cursor();
