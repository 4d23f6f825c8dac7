import { getRandomValues } from 'node:crypto';
import type { Budget, Charge, Clock } from '@guard/config/contract/ports';
import { waitFor, withOneMore } from '../rules/gcra.ts';

/** The number of entries in one set. */
const WAYS = 16;
/** Layout of the head in units of Int32: two seeds, the count of uses, the count of entries. */
const HEAD = 4;
const SEED_A = 0;
const SEED_B = 1;
const USES = 2;
const ENTRIES = 3;
/**
 * Layout of one set in units of Int32: the two halves of the keys, the last use of each key, a lock, and the deadlines.
 */
const SET_LENGTH = 88;
const KEYS_B = WAYS;
const USED_AT = 2 * WAYS;
const LOCK = 3 * WAYS;
/** The offset of the deadlines from the beginning of the set, in doubles. */
const DEADLINES = (LOCK + 8) / 2;
/**
 * This number is mixed into the hash of a remembered subject, so that it differs from the hash of the counter with the
 * same name.
 */
const REMEMBERED_KIND = 0x51ed270b;
/** Number of tries before a thread waits for a lock. Usually fewer tries are enough. */
const SPINS = 1_000;
/**
 * After this time a lock is ignored, because its thread has ended. A slow thread would have finished within this time.
 */
const ABANDONED_AFTER_MS = 500;

/**
 * Allocates memory for at least `maxEntries` entries. The number of sets is rounded up to a power of two. The memory
 * can be passed to other threads.
 */
export function allocateDeadlines(maxEntries: number): SharedArrayBuffer {
  const sets = 2 ** Math.max(0, Math.ceil(Math.log2(maxEntries / WAYS)));
  const buffer = new SharedArrayBuffer((HEAD + sets * SET_LENGTH) * 4);
  new Int32Array(buffer).set(getRandomValues(new Int32Array(2)));
  return buffer;
}

/**
 * A bounded table of deadlines (epoch milliseconds) by key, in memory that several threads can share. Spent tickets and
 * the counters of rate limits are stored in such tables, with one number for each key.
 *
 * The table stores a 64-bit hash of each key. The hash has a random seed, so that a stranger cannot find a key with the
 * same hash as another visitor's counter. The hash of a key selects one set of 16 entries. When the set is full, a new
 * key replaces the least recently used entry.
 */
export class DeadlineTable {
  readonly #ints: Int32Array;
  /** The memory as doubles, for the deadlines. 0 marks a free slot. */
  readonly #doubles: Float64Array;
  readonly #sets: number;
  /**
   * The two halves of the hash of the current key. They are fields, because a function that returns both would create
   * an object.
   */
  #a = 0;
  #b = 0;

  /** `buffer` is the result of {@link allocateDeadlines}. */
  constructor(buffer: SharedArrayBuffer) {
    this.#ints = new Int32Array(buffer);
    this.#doubles = new Float64Array(buffer);
    this.#sets = (this.#ints.length - HEAD) / SET_LENGTH;
  }

  /** The number of entries, including entries whose deadline is over. */
  get size(): number {
    return Atomics.load(this.#ints, ENTRIES);
  }

  /** Spends a key. True for exactly one call per key before `expiresAt`. */
  spend(key: string, nowMs: number, expiresAt: number): boolean {
    this.#hash(key, '');
    const set = this.#lock();
    const deadlineIndex = this.#findOrAdd(set);
    const isFirst = !(nowMs <= (this.#doubles[deadlineIndex] ?? 0));
    if (isFirst) this.#doubles[deadlineIndex] = expiresAt;
    this.#unlock(set);
    return isFirst;
  }

  /**
   * Takes a request from a budget (rules/gcra.ts). Returns 0 when the request fits, and otherwise the milliseconds
   * until a request fits. A refused request takes nothing.
   */
  take(name: string, subject: string, nowMs: number, budget: Budget): number {
    this.#hash(name, subject);
    const set = this.#lock();
    const deadlineIndex = this.#findOrAdd(set);
    const counter = this.#doubles[deadlineIndex] ?? 0;
    const waitMs = waitFor(counter, nowMs, budget);
    if (waitMs === 0) this.#doubles[deadlineIndex] = withOneMore(counter, nowMs, budget);
    this.#unlock(set);
    return waitMs;
  }

  /**
   * Takes a request from all counters, or from none, and returns the longest wait. Each set is locked separately, so
   * another thread can be refused because of a charge that is given back a moment later. No budget is ever exceeded.
   */
  takeAll(name: string, charges: readonly Charge[], nowMs: number): number {
    // A refused request must add no entry. Otherwise a visitor above one limit could name new subjects for the other
    // counters, and the table would forget the counters of other visitors.
    const refusedMs = charges.map(({ subject, budget }) =>
      this.#waitOf(name, subject, nowMs, budget),
    );
    const longestRefusedMs = Math.max(0, ...refusedMs);
    if (longestRefusedMs > 0) return longestRefusedMs;
    const waits = charges.map(({ subject, budget }) => this.take(name, subject, nowMs, budget));
    const longest = Math.max(0, ...waits);
    if (longest === 0) return 0;
    this.giveBackAll(
      name,
      charges.filter((_charge, index) => waits[index] === 0),
      nowMs,
    );
    return longest;
  }

  /** Like {@link take}, but takes nothing, and adds no entry for a new subject. */
  #waitOf(name: string, subject: string, nowMs: number, budget: Budget): number {
    this.#hash(name, subject);
    if (this.#wayOf(this.#set()) === -1) return 0;
    const set = this.#lock();
    // Another thread can have replaced the entry meanwhile.
    const counter = this.#wayOf(set) === -1 ? 0 : (this.#doubles[this.#findOrAdd(set)] ?? 0);
    this.#unlock(set);
    return waitFor(counter, nowMs, budget);
  }

  /** Gives back one request to each of these counters. */
  giveBackAll(name: string, charges: readonly Charge[], nowMs: number): void {
    for (const { subject, budget } of charges) this.#giveBack(name, subject, budget, nowMs);
  }

  /** A counter that got back all that was taken frees its entry. Otherwise requests that are over fill the table. */
  #giveBack(name: string, subject: string, { perMs, requests }: Budget, nowMs: number): void {
    this.#hash(name, subject);
    const set = this.#lock();
    const way = this.#wayOf(set);
    if (way !== -1) {
      const deadlineIndex = set / 2 + DEADLINES + way;
      const deadline = (this.#doubles[deadlineIndex] ?? 0) - perMs / requests;
      this.#doubles[deadlineIndex] = deadline > nowMs ? deadline : 0;
      if (deadline <= nowMs) Atomics.sub(this.#ints, ENTRIES, 1);
    }
    this.#unlock(set);
  }

  /** Raises a counter to a deadline that it has reached in another instance. An earlier deadline changes nothing. */
  raise(name: string, subject: string, deadline: number): void {
    this.#hash(name, subject);
    const set = this.#lock();
    const index = this.#findOrAdd(set);
    this.#doubles[index] = Math.max(this.#doubles[index] ?? 0, deadline);
    this.#unlock(set);
  }

  /** Remembers a subject until `expiresAt`. The entry is separate from the counter with the same name. */
  remember(name: string, subject: string, expiresAt: number): void {
    this.#hash(name, subject, REMEMBERED_KIND);
    const set = this.#lock();
    this.#doubles[this.#findOrAdd(set)] = expiresAt;
    this.#unlock(set);
  }

  /**
   * Whether a subject is still remembered. For the usual answer, false, it needs no lock and does not read the clock.
   */
  remembers(name: string, subject: string, clock: Clock): boolean {
    this.#hash(name, subject, REMEMBERED_KIND);
    if (this.#wayOf(this.#set()) === -1) return false;
    const set = this.#lock();
    const way = this.#wayOf(set);
    const isKnown = way !== -1 && clock() <= (this.#doubles[set / 2 + DEADLINES + way] ?? 0);
    this.#unlock(set);
    return isKnown;
  }

  /** Computes two hashes, similar to MurmurHash3, over the kind, both texts and the length of the first text. */
  #hash(first: string, second: string, kind = 0): void {
    // The seeds are read each time, because a restored snapshot has its own seeds.
    this.#a = (this.#ints[SEED_A] ?? 0) ^ kind ^ Math.imul(first.length, 0x9e3779b1);
    this.#b = (this.#ints[SEED_B] ?? 0) ^ kind ^ Math.imul(first.length, 0x85ebca77);
    this.#absorb(first);
    this.#absorb(second);
    this.#a = finish(this.#a);
    this.#b = finish(this.#b);
  }

  #absorb(text: string): void {
    let a = this.#a;
    let b = this.#b;
    for (let i = 0; i < text.length; i += 2) {
      const next = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
      const units = Math.imul(text.charCodeAt(i) | (next << 16), 0xcc9e2d51);
      const mixed = Math.imul((units << 15) | (units >>> 17), 0x1b873593);
      a ^= mixed;
      a = (Math.imul((a << 13) | (a >>> 19), 5) + 0xe6546b64) | 0;
      b = Math.imul(b ^ mixed, 0x27d4eb2f);
      b ^= b >>> 15;
    }
    this.#a = a;
    this.#b = b;
  }

  /** The index of the set for the current key. */
  #set(): number {
    return HEAD + (this.#a & (this.#sets - 1)) * SET_LENGTH;
  }

  /** Locks the set for the current key, and returns its index. */
  #lock(): number {
    const set = this.#set();
    for (let spins = 0; spins < SPINS; spins++) {
      if (Atomics.compareExchange(this.#ints, set + LOCK, 0, 1) === 0) return set;
    }
    this.#waitFor(set + LOCK);
    return set;
  }

  /**
   * Tries again every millisecond until the lock is free. `Atomics.notify` would cost a call at every unlock, and waits
   * are rare.
   */
  #waitFor(lock: number): void {
    for (let waitedMs = 0; waitedMs < ABANDONED_AFTER_MS; waitedMs++) {
      Atomics.wait(this.#ints, lock, 1, 1);
      if (Atomics.compareExchange(this.#ints, lock, 0, 1) === 0) return;
    }
  }

  #unlock(set: number): void {
    Atomics.store(this.#ints, set + LOCK, 0);
  }

  /** The index of the deadline for the current key. A new key gets a free slot, or the least recently used slot. */
  #findOrAdd(set: number): number {
    const ints = this.#ints;
    const deadlines = set / 2 + DEADLINES;
    // Two threads can get the same number here. This is no problem, because the order of uses does not have to be
    // exact.
    const useNumber = ((ints[USES] ?? 0) + 1) | 0;
    ints[USES] = useNumber;
    const knownWay = this.#wayOf(set);
    if (knownWay !== -1) {
      ints[set + USED_AT + knownWay] = useNumber;
      return deadlines + knownWay;
    }
    const way = this.#leastUsed(set, useNumber);
    if (this.#doubles[deadlines + way] === 0) Atomics.add(ints, ENTRIES, 1);
    ints[set + way] = this.#a;
    ints[set + KEYS_B + way] = this.#b;
    ints[set + USED_AT + way] = useNumber;
    // A new entry has no deadline yet. This value is before every time. 0 would mark a free slot.
    this.#doubles[deadlines + way] = Number.NEGATIVE_INFINITY;
    return deadlines + way;
  }

  /** The position of the current key in its set, or -1 when the set does not have the key. */
  #wayOf(set: number): number {
    const ints = this.#ints;
    for (let way = 0; way < WAYS; way++) {
      if (ints[set + way] !== this.#a || ints[set + KEYS_B + way] !== this.#b) continue;
      if (this.#doubles[set / 2 + DEADLINES + way] !== 0) return way;
    }
    return -1;
  }

  #leastUsed(set: number, useNumber: number): number {
    const deadlines = set / 2 + DEADLINES;
    let leastUsedWay = 0;
    let longest = -1;
    for (let way = 0; way < WAYS; way++) {
      if (this.#doubles[deadlines + way] === 0) return way;
      const unused = (useNumber - (this.#ints[set + USED_AT + way] ?? 0)) >>> 0;
      if (unused > longest) {
        longest = unused;
        leastUsedWay = way;
      }
    }
    return leastUsedWay;
  }
}

function finish(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
