import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import { clientHintsSignal } from './client-hints.ts';
import { crawlerSignal } from './crawler.ts';
import { headerSignal } from './headers.ts';
import { networkSignal } from './network.ts';
import { sessionSignal } from './session.ts';
import type { Signal } from './signal.ts';
import { userAgentSignal } from './user-agent.ts';

/** Every signal, in the order in which its reasons are reported. */
export const signals: readonly Signal[] = [
  crawlerSignal,
  sessionSignal,
  userAgentSignal,
  clientHintsSignal,
  headerSignal,
  networkSignal,
];

/** All findings of a request. */
export function findingsOf(facts: Facts): readonly Reason[] {
  const found: Reason[] = [];
  for (const signal of signals) found.push(...signal(facts));
  return found;
}
