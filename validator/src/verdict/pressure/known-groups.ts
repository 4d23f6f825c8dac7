import { LazyCache } from '../counts/lazy-cache.ts';

/** Maximum number of known groups, and of new groups. Above this number, the least recently used group is forgotten. */
const MAX_GROUPS = 1_024;

/** A group becomes known when it still sends requests this long after its first request. In milliseconds. */
const KNOWN_AFTER_MS = 3_600_000;

/**
 * The groups of one kind. Known and new groups are in separate lists. A program can make a new group with every
 * request, but this removes no known group: a new group becomes known only if it stays in the list of new groups for an
 * hour.
 */
export class KnownGroups<Kind extends { readonly bornAt: number }> {
  readonly #known = new LazyCache<Kind>(MAX_GROUPS);
  readonly #new = new LazyCache<Kind>(MAX_GROUPS);
  readonly #make: (name: string, nowMs: number) => Kind;
  readonly #isKnown: (group: Kind, nowMs: number) => boolean;

  constructor(
    make: (name: string, nowMs: number) => Kind,
    isKnownAt: (group: Kind, nowMs: number) => boolean = isKnown,
  ) {
    this.#make = make;
    this.#isKnown = isKnownAt;
  }

  /** The group with this name. Undefined when it sent no request yet, or was forgotten. */
  find(name: string): Kind | undefined {
    return this.#known.get(name) ?? this.#new.get(name);
  }

  findOrAdd(name: string, nowMs: number): Kind {
    const knownGroup = this.#known.get(name);
    if (knownGroup) return knownGroup;
    const newGroup = this.#new.get(name);
    if (newGroup === undefined) {
      const firstGroup = this.#make(name, nowMs);
      this.#new.set(name, firstGroup);
      return firstGroup;
    }
    if (this.#isKnown(newGroup, nowMs)) {
      this.#new.delete(name);
      this.#known.set(name, newGroup);
    }
    return newGroup;
  }
}

export function isKnown({ bornAt }: { readonly bornAt: number }, nowMs: number): boolean {
  return nowMs - bornAt >= KNOWN_AFTER_MS;
}
