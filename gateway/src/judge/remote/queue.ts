/** A question in the queue. */
export interface Waiter {
  /** The length of the question. */
  readonly bytes: number;
  /** Whether there is still time for an answer. The waiter may leave the queue during this call. */
  isInTime(): boolean;
  /** Sends the question. Called once. The waiter must call `Queue.release` when it has ended. */
  start(): void;
}

interface QueueLimits {
  /** Questions that may be under way at once. */
  readonly connections: number;
  /** Questions that may wait in addition to the questions under way. */
  readonly waiting: number;
}

/** Sends questions to one validator in the order in which they came, as many at once as the window allows. */
export class Queue {
  readonly #limits: QueueLimits;
  readonly #window: Window;
  readonly #waiters = new Set<Waiter>();
  #underWay = 0;

  constructor(limits: QueueLimits, window: Window) {
    this.#limits = limits;
    this.#window = window;
  }

  get areWaiting(): boolean {
    return this.#waiters.size > 0;
  }

  /** Starts the waiter now or when its turn comes. False when too many are waiting already. */
  take(waiter: Waiter): boolean {
    const { connections, waiting } = this.#limits;
    // When no question is under way, all waiting questions are too late: `release` did not start them. So the new
    // question is next.
    const isNext = !this.areWaiting || this.#underWay === 0;
    if (isNext && this.#hasRoomFor(waiter)) this.#start(waiter);
    else if (this.#underWay + this.#waiters.size < connections + waiting) this.#waiters.add(waiter);
    else return false;
    return true;
  }

  /** Called when a started waiter does not need its connection any more. */
  release({ bytes }: Waiter): void {
    this.#underWay--;
    this.#window.noteEnd(bytes, this.areWaiting);
    for (const next of this.#waiters) {
      if (!next.isInTime()) continue;
      if (!this.#hasRoomFor(next)) return;
      this.#waiters.delete(next);
      this.#start(next);
    }
  }

  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
  }

  #hasRoomFor({ bytes }: Waiter): boolean {
    return this.#underWay < this.#limits.connections && this.#window.hasRoomFor(bytes);
  }

  #start(waiter: Waiter): void {
    this.#underWay++;
    this.#window.noteSent(waiter.bytes);
    waiter.start();
  }
}

/** Bytes of questions that may be under way: at the start, and at most. */
const FIRST_BYTES = 16 * 1024;
const MAX_BYTES = 256 * 1024;

/** Each answer adds this to the remembered fastest time, because a validator may become slower for good. */
const FASTEST_GROWTH_MS = 0.1;

/**
 * Limits the questions that are under way to one validator at once. The faster the validator answers, the higher the
 * limit. The window counts bytes, because the cost of a question depends on its length. While questions wait, each
 * prompt answer adds the length of its question to the window, so the window doubles in each round. When answers take
 * long, the window halves, at most once per time limit. When the window is not used, it shrinks. So a burst of visitors
 * waits in the gateway, which counts it. If it waited at the validator, the validator would seem silent. A validator
 * that gives no answer is asked one question at a time.
 */
export class Window {
  readonly #limitMs: number;
  readonly #clock: () => number;
  #size = FIRST_BYTES;
  #underWay = 0;
  #fastestMs = Number.POSITIVE_INFINITY;
  #halvedAt = Number.NEGATIVE_INFINITY;
  /**
   * The time since which an answer is awaited: the time of the last answer, or of the first question after it.
   * Undefined while no answer is awaited.
   */
  #unansweredSince: number | undefined;

  /** `limitMs` is the time limit of an answer. `clock` gives the milliseconds that count for this limit. */
  constructor(limitMs: number, clock: () => number) {
    this.#limitMs = limitMs;
    this.#clock = clock;
  }

  /** Whether no question was answered for the time limit of one answer. */
  get isSilent(): boolean {
    const since = this.#unansweredSince;
    return since !== undefined && this.#clock() - since >= this.#limitMs;
  }

  /**
   * Whether a question of this length may be sent now. When no question is under way, a question of any length may be
   * sent.
   */
  hasRoomFor(bytes: number): boolean {
    if (this.#underWay === 0) return true;
    return this.#underWay + bytes <= this.#size && !this.isSilent;
  }

  noteSent(bytes: number): void {
    this.#underWay += bytes;
    this.#unansweredSince ??= this.#clock();
  }

  /** A question that was sent has ended, with or without an answer. */
  noteEnd(bytes: number, areOthersWaiting: boolean): void {
    this.#underWay -= bytes;
    if (this.#underWay === 0 && !areOthersWaiting) this.#size = FIRST_BYTES;
  }

  /** A question that was sent at `sentAt` was answered. `noteEnd` follows later. */
  noteAnswer(bytes: number, sentAt: number, areOthersWaiting: boolean): void {
    const now = this.#clock();
    const tookMs = now - sentAt;
    this.#unansweredSince = this.#underWay > bytes ? now : undefined;
    this.#fastestMs = Math.min(tookMs, this.#fastestMs + FASTEST_GROWTH_MS);
    const queuedMs = tookMs - this.#fastestMs;
    if (queuedMs > this.#limitMs / 4) this.#halve(now);
    else if (queuedMs > this.#limitMs / 8) return;
    else if (areOthersWaiting) this.#size = Math.min(this.#size + bytes, MAX_BYTES);
    else if (2 * this.#underWay < this.#size)
      this.#size = Math.max(this.#size - bytes, FIRST_BYTES);
  }

  #halve(now: number): void {
    if (now - this.#halvedAt < this.#limitMs) return;
    this.#halvedAt = now;
    this.#size = Math.max(this.#size >> 1, FIRST_BYTES);
  }
}
