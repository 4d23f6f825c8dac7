import type { StageTimes } from '@guard/config/contract/event';

/** The start of one decision and the end of each of its stages, by performance.now(). */
export interface Times {
  readonly startedAt: number;
  readonly describedAt: number;
  knownAt: number;
  decidedAt: number;
}

export function stagesOf({ startedAt, describedAt, knownAt, decidedAt }: Times): StageTimes {
  return {
    facts: microseconds(describedAt - startedAt),
    session: microseconds(knownAt - describedAt),
    verdict: microseconds(decidedAt - knownAt),
  };
}

export function microseconds(ms: number): number {
  return Math.round(ms * 1000);
}
