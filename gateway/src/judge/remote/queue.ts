import type { Window } from './window.ts';

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
