import type { Charge, SessionStore } from '@guard/config/contract/ports';

/**
 * Takes one request from all counters or from none, for all threads of this process. Returns the function that gives it
 * back, or undefined when one of the budgets is used up.
 */
export function reserve(
  counter: string,
  charges: readonly Charge[],
  store: SessionStore,
): (() => void) | undefined {
  if (store.takeInProcess(counter, charges) > 0) return undefined;
  return () => store.giveBackInProcess(counter, charges);
}
