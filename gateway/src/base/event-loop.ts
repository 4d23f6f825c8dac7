/** Has something to write at the end of the present turn of the event loop. */
export interface Waiting {
  endOfTurn(): void;
}

let waiting: Waiting[] = [];

/**
 * Calls `endOfTurn` behind everything that arrived in the same turn. A lone request waits for nothing.
 * Under load the processes at the other end are woken once for many writes and not once for each, which
 * was a fifth of what a request cost (bench/gateway.ts). Bounded by the connections that had something
 * to read in this turn.
 */
export function atEndOfTurn(one: Waiting): void {
  if (waiting.push(one) === 1) setImmediate(callAll);
}

function callAll(): void {
  const all = waiting;
  waiting = [];
  for (const one of all) one.endOfTurn();
}

/**
 * Time as a count of sweeps. Setting a deadline is one addition, however many requests wait, and no
 * timer is made for any of them; it is looked at with every sweep.
 */
export class DeadlineTicks<Wait extends string> {
  /** Sweeps so far. */
  now = 0;
  readonly #waits: Readonly<Record<Wait, number>>;

  /** How long each wait may last, and how often deadlines are looked at, in milliseconds. */
  constructor(waitsMs: Readonly<Record<Wait, number>>, sweepMs: number) {
    const waits: Record<string, number> = {};
    for (const wait in waitsMs) waits[wait] = ticksOf(waitsMs[wait], sweepMs) + 1;
    // Every wait was given one just now.
    this.#waits = waits as Record<Wait, number>;
  }

  /** The tick at which this wait has lasted for its limit at least: the present one has begun already. */
  in(wait: Wait): number {
    return this.now + this.#waits[wait];
  }
}

/** Sweeps that fill a time, the last one not cut short. */
export function ticksOf(ms: number, sweepMs: number): number {
  return Math.ceil(ms / sweepMs);
}
