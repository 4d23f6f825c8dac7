import type { Charge, SessionStore } from '@guard/config/contract/ports';

/**
 * Takes one request from all counters or from none, in the threads of this process and without a wait. Returns the
 * function that gives all of it back, or undefined when one of the budgets is used up.
 */
export function takeAllInProcess(
  counter: string,
  charges: readonly Charge[],
  store: SessionStore,
): (() => void) | undefined {
  const taken: Charge[] = [];
  const giveBack = () => {
    for (const { subject, budget } of taken) store.giveBackInProcess(counter, subject, budget);
  };
  for (const charge of charges) {
    if (store.takeInProcess(counter, charge.subject, charge.budget) > 0) {
      giveBack();
      return undefined;
    }
    taken.push(charge);
  }
  return giveBack;
}
