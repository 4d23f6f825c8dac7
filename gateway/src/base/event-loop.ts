/** An object that writes at the end of the present turn of the event loop. */
export interface EndOfTurnListener {
  onEndOfTurn(): void;
}

let waitingListeners: EndOfTurnListener[] = [];

/**
 * Calls `onEndOfTurn` after everything that arrived in the same turn was read. So under load, the process at the
 * other end wakes up once for many writes. The list has at most one entry for each connection.
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
 * Returns a function that makes at most `calls` calls in one turn of the event loop, and the next ones in later turns.
 * So the calls of one connection do not keep other connections waiting. The order of the calls stays the same.
 */
export function callFewInATurn(calls: number): (call: () => void) => void {
  const waitingCalls: (() => void)[] = [];
  let left = calls;
  const beginTurn = (): void => {
    left = calls;
    const nextCalls = waitingCalls.splice(0, calls);
    if (nextCalls.length > 0) setImmediate(beginTurn);
    left -= nextCalls.length;
    for (const call of nextCalls) call();
  };
  return (call) => {
    if (left === calls) setImmediate(beginTurn);
    if (left === 0) {
      waitingCalls.push(call);
      return;
    }
    left -= 1;
    call();
  };
}

/**
 * Measures time as a count of sweeps, so no request needs a timer. Every sweep compares the deadlines with the
 * count.
 */
export class DeadlineTicks<Wait extends string> {
  sweepCount = 0;
  readonly #waits: Readonly<Record<Wait, number>>;

  /** How long each wait may last, and the time between two sweeps. Both are in milliseconds. */
  constructor(waitsMs: Readonly<Record<Wait, number>>, sweepMs: number) {
    const waits: Record<string, number> = {};
    for (const wait in waitsMs) waits[wait] = ticksOf(waitsMs[wait], sweepMs) + 1;
    // The loop has set a value for every wait.
    this.#waits = waits as Record<Wait, number>;
  }

  /**
   * The tick at which this wait has surely reached its limit. One tick is added, because the present tick has already
   * begun.
   */
  tickAfter(wait: Wait): number {
    return this.sweepCount + this.#waits[wait];
  }
}

export function ticksOf(ms: number, sweepMs: number): number {
  return Math.ceil(ms / sweepMs);
}
