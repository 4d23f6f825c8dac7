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
