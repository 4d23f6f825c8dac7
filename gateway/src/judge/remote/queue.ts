/** A question that wants to be sent. */
export interface Waiter {
  /** What it is going to send. */
  readonly bytes: number;
  /** Whether there is time for an answer. One that is told so may leave. */
  isInTime(): boolean;
  /** Called once. `Queue.ended` is to be called when the question has ended. */
  start(): void;
}

interface QueueLimits {
  /** Questions that may be under way at once. */
  readonly connections: number;
  /** Waiters there may be beside them. */
  readonly waiting: number;
}

/** Lets questions go to one validator, in the order in which they came, as its window allows. */
export class Queue {
  readonly #limits: QueueLimits;
  readonly #window: Window;
  readonly #waiting = new Set<Waiter>();
  #underWay = 0;

  constructor(limits: QueueLimits, window: Window) {
    this.#limits = limits;
    this.#window = window;
  }

  get areWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Starts the waiter, now or as soon as it is its turn. False when too many wait already. */
  take(waiter: Waiter): boolean {
    const { connections, waiting } = this.#limits;
    // With nothing under way nothing ends, so the ones that wait have no time left: see `ended`.
    const isNext = !this.areWaiting || this.#underWay === 0;
    if (isNext && this.#hasRoomFor(waiter)) this.#start(waiter);
    else if (this.#underWay + this.#waiting.size < connections + waiting) this.#waiting.add(waiter);
    else return false;
    return true;
  }

  /** The waiter, which was started, needs its connection no longer. Starts those that wait. */
  ended({ bytes }: Waiter): void {
    this.#underWay--;
    this.#window.ended(bytes, this.areWaiting);
    for (const next of this.#waiting) {
      if (!next.isInTime()) continue;
      if (!this.#hasRoomFor(next)) return;
      this.#waiting.delete(next);
      this.#start(next);
    }
  }

  /** Forgets a waiter that does not want to be started any more. */
  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  #hasRoomFor({ bytes }: Waiter): boolean {
    return this.#underWay < this.#limits.connections && this.#window.fits(bytes);
  }

  #start(waiter: Waiter): void {
    this.#underWay++;
    this.#window.sent(waiter.bytes);
    waiter.start();
  }
}

/** Bytes of questions at once: before the validator has shown how fast it is, and at the most. */
const FIRST_BYTES = 16 * 1024;
const MOST_BYTES = 256 * 1024;

/** By how much the fastest answer may be forgotten with each other one: a validator may move further away. */
const FORGOTTEN_MS = 0.1;

/**
 * How much one validator is asked at once: as much as it answers promptly. Bytes are counted and not
 * questions, because what a question costs goes with its length. The window grows by the length of each
 * question that was answered promptly while others wait, so it doubles with each round; it halves when
 * answers take long, at most once in the time that one may take; and what is not used goes again. A burst of
 * visitors thus waits here, where it is counted, and not at the validator, where it would look like silence.
 * While the validator gives no answer it is asked one question at a time.
 */
export class Window {
  readonly #limitMs: number;
  readonly #now: () => number;
  #size = FIRST_BYTES;
  #underWay = 0;
  #fastestMs = Number.POSITIVE_INFINITY;
  #halvedAt = Number.NEGATIVE_INFINITY;
  /** Since when something is asked and nothing is answered. */
  #unansweredSince: number | undefined;

  /** `limitMs` is what an answer may take, `now` the milliseconds that count for it. */
  constructor(limitMs: number, now: () => number) {
    this.#limitMs = limitMs;
    this.#now = now;
  }

  /** Nobody was answered for as long as one answer may take. */
  get isSilent(): boolean {
    const since = this.#unansweredSince;
    return since !== undefined && this.#now() - since >= this.#limitMs;
  }

  /** Whether a question of this length may be sent now. A single one always may. */
  fits(bytes: number): boolean {
    if (this.#underWay === 0) return true;
    return this.#underWay + bytes <= this.#size && !this.isSilent;
  }

  sent(bytes: number): void {
    this.#underWay += bytes;
    this.#unansweredSince ??= this.#now();
  }

  /** A question that was sent has ended, however it did. */
  ended(bytes: number, areOthersWaiting: boolean): void {
    this.#underWay -= bytes;
    if (this.#underWay === 0 && !areOthersWaiting) this.#size = FIRST_BYTES;
  }

  /** A question was answered that was sent at that time, and has not ended yet. */
  answered(bytes: number, sentAt: number, areOthersWaiting: boolean): void {
    const now = this.#now();
    const tookMs = now - sentAt;
    this.#unansweredSince = this.#underWay > bytes ? now : undefined;
    this.#fastestMs = Math.min(tookMs, this.#fastestMs + FORGOTTEN_MS);
    const queuedMs = tookMs - this.#fastestMs;
    if (queuedMs > this.#limitMs / 4) this.#halve(now);
    else if (queuedMs > this.#limitMs / 8) return;
    else if (areOthersWaiting) this.#size = Math.min(this.#size + bytes, MOST_BYTES);
    else if (2 * this.#underWay < this.#size)
      this.#size = Math.max(this.#size - bytes, FIRST_BYTES);
  }

  #halve(now: number): void {
    if (now - this.#halvedAt < this.#limitMs) return;
    this.#halvedAt = now;
    this.#size = Math.max(this.#size >> 1, FIRST_BYTES);
  }
}
