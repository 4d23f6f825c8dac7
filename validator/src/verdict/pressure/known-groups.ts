import { LRUCache } from 'lru-cache';
import type { Group } from './group.ts';

/** Groups that are known, and as many that are new. The one unused longest starts anew. */
const MAX_GROUPS = 1_024;

/** A group that came again for so long is known. */
const KNOWN_AFTER_MS = 3_600_000;

/**
 * The groups of one kind. A program can make as many new ones as it sends requests, and pushes no known one out: each
 * of them would have to last for an hour among the new ones.
 */
export class KnownGroups<Kind extends Group> {
  readonly #known = new LRUCache<string, Kind>({ max: MAX_GROUPS });
  readonly #new = new LRUCache<string, Kind>({ max: MAX_GROUPS });
  readonly #make: (name: string, nowMs: number) => Kind;

  constructor(make: (name: string, nowMs: number) => Kind) {
    this.#make = make;
  }

  /** Undefined for a group that never came, or that was forgotten. */
  find(name: string): Kind | undefined {
    return this.#known.get(name) ?? this.#new.get(name);
  }

  of(name: string, nowMs: number): Kind {
    const known = this.#known.get(name);
    if (known) return known;
    const found = this.#new.get(name);
    if (found === undefined) {
      const made = this.#make(name, nowMs);
      this.#new.set(name, made);
      return made;
    }
    if (isKnown(found, nowMs)) {
      this.#new.delete(name);
      this.#known.set(name, found);
    }
    return found;
  }
}

export function isKnown({ bornAt }: Group, nowMs: number): boolean {
  return nowMs - bornAt >= KNOWN_AFTER_MS;
}
