import type { StageTimes } from '@guard/config/contract/event';

/** The end of each stage of one decision, by performance.now(). */
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
