import type { Reason } from '@guard/config/contract/reasons';
import type { Plausibility } from '../request/plausibility.ts';
import { NOTHING, type Signal } from './signal.ts';

const FOUND: Readonly<Record<Plausibility, readonly Reason[]>> = {
  plausible: NOTHING,
  implausible: ['agent_implausible'],
  impossible: ['agent_impossible'],
};

/** Finds a browser that cannot exist, or that hardly anyone uses. The result is cached for each User-Agent. */
export const plausibilitySignal: Signal = ({ agent, crawler }) =>
  crawler ? NOTHING : FOUND[agent.plausibility];
