import { getRandomValues } from 'node:crypto';
import type { Budget, Charge, Clock } from '@guard/config/contract/ports';
import { waitFor, withOneMore } from '../rules/gcra.ts';

const WAYS = 16;
/** Int32 of the head: two seeds, the count of uses, the count of entries. */
const HEAD = 4;
const SEED_A = 0;
const SEED_B = 1;
const USES = 2;
const ENTRIES = 3;
/** Int32 of one set, which lies together: the halves of the keys, when each was used, a lock, the deadlines. */
const SET = 88;
const KEYS_B = WAYS;
const USED_AT = 2 * WAYS;
const LOCK = 3 * WAYS;
/** As doubles, from the beginning of the set. */
const DEADLINES = (LOCK + 8) / 2;
/** Tells the key of what is remembered from that of a counter with the same name. Cheaper than a longer name. */
const REMEMBERED = 0x51ed270b;
/** A look at 16 slots takes less time than this many turns, unless its thread has lost the processor. */
const SPINS = 1_000;
/** A thread that ended inside a set leaves it locked. One that is only slow has had its turn by then. */
const ABANDONED_AFTER_MS = 500;

/** Memory for `maxEntries`, rounded up to a power of two; shared by handing it to other threads. */
export function allocateDeadlines(maxEntries: number): SharedArrayBuffer {
  const sets = 2 ** Math.max(0, Math.ceil(Math.log2(maxEntries / WAYS)));
  const buffer = new SharedArrayBuffer((HEAD + sets * SET) * 4);
  getRandomValues(new Int32Array(buffer, 0, 2));
  return buffer;
}

/**
 * A bounded table of deadlines (epoch milliseconds) by key, in memory that several threads may share:
 * what is spent, and the counters of rate limits. Both are one number for a key, so a table of numbers
 * does, and takes 22 bytes an entry.
 *
 * It holds 64 bits of a hash of each key, with a seed of the table's own, so that no stranger can aim at another's
 * counter. A key has its place in one set of 16; when that is full, what was used longest ago goes.
 */
export class DeadlineTable {
  readonly #ints: Int32Array;
  /** 0 stands for a free slot. */
  readonly #doubles: Float64Array;
  readonly #sets: number;
  /** The hash of the key at hand: two halves that a function could only return as an object. */
  #a = 0;
  #b = 0;

  /** `buffer` comes from {@link allocateDeadlines}. */
  constructor(buffer: SharedArrayBuffer) {
    this.#ints = new Int32Array(buffer);
    this.#doubles = new Float64Array(buffer);
    this.#sets = (this.#ints.length - HEAD) / SET;
  }

  /** Entries held, with those whose deadline is over. */
  get size(): number {
    return Atomics.load(this.#ints, ENTRIES);
  }

  /** Most entries that fit. */
  get capacity(): number {
    return this.#sets * WAYS;
  }

  /** True for exactly one caller per key until `expiresAt` is over. */
  spend(key: string, nowMs: number, expiresAt: number): boolean {
    this.#hash(key, '');
    const set = this.#lock();
    const at = this.#deadlineOf(set);
    const first = !(nowMs <= (this.#doubles[at] ?? 0));
    if (first) this.#doubles[at] = expiresAt;
    this.#unlock(set);
    return first;
  }

  /**
   * The generic cell rate algorithm: a full budget may come at once, then one each interval. 0 when a
   * request fits, else milliseconds until one does; a refused one costs nothing.
   */
  take(name: string, subject: string, nowMs: number, budget: Budget): number {
    this.#hash(name, subject);
    const set = this.#lock();
    const at = this.#deadlineOf(set);
    const held = this.#doubles[at] ?? 0;
    const waitMs = waitFor(held, nowMs, budget);
    if (waitMs === 0) this.#doubles[at] = withOneMore(held, nowMs, budget);
    this.#unlock(set);
    return waitMs;
  }

  /**
   * {@link take} from several counters, or from none of them. Each set is locked by itself, so another thread
   * may be refused by what is given back a moment later; more than a budget holds is never given.
   */
  takeAll(name: string, charges: readonly Charge[], nowMs: number): number {
    const waits = charges.map(({ subject, budget }) => this.take(name, subject, nowMs, budget));
    const longest = Math.max(0, ...waits);
    if (longest === 0) return 0;
    charges.forEach(({ subject, budget }, index) => {
      if (waits[index] === 0) this.#giveBack(name, subject, budget.perMs / budget.requests);
    });
    return longest;
  }

  /** Remembers a subject until its deadline. It has a key of its own beside the counter of that name. */
  remember(name: string, subject: string, expiresAt: number): void {
    this.#hash(name, subject, REMEMBERED);
    const set = this.#lock();
    this.#doubles[this.#deadlineOf(set)] = expiresAt;
    this.#unlock(set);
  }

  /**
   * Whether a subject is still remembered. One that is not takes no room. Most are not: that is seen without the time and
   * without the lock, since an entry keeps its place.
   */
  remembers(name: string, subject: string, clock: Clock): boolean {
    this.#hash(name, subject, REMEMBERED);
    if (this.#wayOf(this.#set()) === -1) return false;
    const set = this.#lock();
    const way = this.#wayOf(set);
    const isKnown = way !== -1 && clock() <= (this.#doubles[set / 2 + DEADLINES + way] ?? 0);
    this.#unlock(set);
    return isKnown;
  }

  #giveBack(name: string, subject: string, intervalMs: number): void {
    this.#hash(name, subject);
    const set = this.#lock();
    const at = this.#deadlineOf(set);
    this.#doubles[at] = (this.#doubles[at] ?? 0) - intervalMs;
    this.#unlock(set);
  }

  /** Two hashes at once in the manner of MurmurHash3, over the kind, both texts and where the first one ends. */
  #hash(first: string, second: string, kind = 0): void {
    // The seeds are read each time: entries of a snapshot come with theirs.
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

  /** Where the set of the key at hand begins. */
  #set(): number {
    return HEAD + (this.#a & (this.#sets - 1)) * SET;
  }

  /** Locks the key's set; gives where it begins. */
  #lock(): number {
    const set = this.#set();
    for (let spins = 0; spins < SPINS; spins++) {
      if (Atomics.compareExchange(this.#ints, set + LOCK, 0, 1) === 0) return set;
    }
    this.#waitFor(set + LOCK);
    return set;
  }

  /** No waiter is told of an unlocked set: that would cost every unlocking a call, and a wait is rare. */
  #waitFor(lock: number): void {
    for (let waitedMs = 0; waitedMs < ABANDONED_AFTER_MS; waitedMs++) {
      Atomics.wait(this.#ints, lock, 1, 1);
      if (Atomics.compareExchange(this.#ints, lock, 0, 1) === 0) return;
    }
  }

  #unlock(set: number): void {
    Atomics.store(this.#ints, set + LOCK, 0);
  }

  /** Where the key's deadline stands. A key that had none takes a slot that is free, or was used longest ago. */
  #deadlineOf(set: number): number {
    const ints = this.#ints;
    const deadlines = set / 2 + DEADLINES;
    // Two threads may give out the same number: "longest ago" bears that.
    const now = ((ints[USES] ?? 0) + 1) | 0;
    ints[USES] = now;
    const held = this.#wayOf(set);
    if (held !== -1) {
      ints[set + USED_AT + held] = now;
      return deadlines + held;
    }
    const way = this.#leastUsed(set, now);
    if (this.#doubles[deadlines + way] === 0) Atomics.add(ints, ENTRIES, 1);
    ints[set + way] = this.#a;
    ints[set + KEYS_B + way] = this.#b;
    ints[set + USED_AT + way] = now;
    // Before every time, and not free: a new entry has no deadline yet.
    this.#doubles[deadlines + way] = Number.NEGATIVE_INFINITY;
    return deadlines + way;
  }

  /** Where in its set the key at hand stands; -1 for nowhere. */
  #wayOf(set: number): number {
    const ints = this.#ints;
    for (let way = 0; way < WAYS; way++) {
      if (ints[set + way] !== this.#a || ints[set + KEYS_B + way] !== this.#b) continue;
      if (this.#doubles[set / 2 + DEADLINES + way] !== 0) return way;
    }
    return -1;
  }

  #leastUsed(set: number, now: number): number {
    const deadlines = set / 2 + DEADLINES;
    let chosen = 0;
    let longest = -1;
    for (let way = 0; way < WAYS; way++) {
      if (this.#doubles[deadlines + way] === 0) return way;
      const unused = (now - (this.#ints[set + USED_AT + way] ?? 0)) >>> 0;
      if (unused > longest) {
        longest = unused;
        chosen = way;
      }
    }
    return chosen;
  }
}

function finish(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
