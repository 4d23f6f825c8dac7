import type { Reason } from '@guard/config/contract/reasons';
import type { Plausibility } from '../request/plausibility.ts';
import { NO_REASONS, type Signal } from './signal.ts';

const FINDINGS_BY_PLAUSIBILITY: Readonly<Record<Plausibility, readonly Reason[]>> = {
  plausible: NO_REASONS,
  implausible: ['agent_implausible'],
  impossible: ['agent_impossible'],
};

/** Finds a browser that cannot exist, or that hardly anyone uses. The result is cached for each User-Agent. */
export const plausibilitySignal: Signal = ({ agent, crawler }) =>
  crawler ? NO_REASONS : FINDINGS_BY_PLAUSIBILITY[agent.plausibility];
