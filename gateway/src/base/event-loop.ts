/** An object that writes at the end of the present turn of the event loop. */
export interface EndOfTurnListener {
  onEndOfTurn(): void;
}

let waitingListeners: EndOfTurnListener[] = [];

/**
 * Calls `onEndOfTurn` after everything that arrived in the same turn was read. A single request does not wait. Under
 * load, the process at the other end wakes up once for many writes. To wake it up for each write was a fifth of the
 * cost of a request (bench/gateway.ts). The list has at most one entry for each connection that had something to read
 * in this turn.
 */
export function callAtEndOfTurn(listener: EndOfTurnListener): void {
  if (waitingListeners.push(listener) === 1) setImmediate(callAll);
}

function callAll(): void {
  const listeners = waitingListeners;
  waitingListeners = [];
  for (const listener of listeners) listener.onEndOfTurn();
}

/**
 * Measures time as a count of sweeps. To set a deadline costs one addition, and no request needs a timer of its
 * own. Every sweep compares the deadlines with the count.
 */
export class DeadlineTicks<Wait extends string> {
  /** Sweeps so far. */
  sweepCount = 0;
  readonly #waits: Readonly<Record<Wait, number>>;

  /** How long each wait may last, and the time between two sweeps. Both are in milliseconds. */
  constructor(waitsMs: Readonly<Record<Wait, number>>, sweepMs: number) {
    const waits: Record<string, number> = {};
    for (const wait in waitsMs) waits[wait] = ticksOf(waitsMs[wait], sweepMs) + 1;
    // The loop has set a value for every wait.
    this.#waits = waits as Record<Wait, number>;
  }

  /** The tick at which this wait has surely reached its limit. One tick is added, because the present tick has begun. */
  tickAfter(wait: Wait): number {
    return this.sweepCount + this.#waits[wait];
  }
}

/** The number of sweeps in a time, rounded up. */
export function ticksOf(ms: number, sweepMs: number): number {
  return Math.ceil(ms / sweepMs);
}
