import type { QueryOutcome } from '@guard/config/contract/ports';
import { type Analytics, type AnalyticsOptions, openAnalytics } from '../index.ts';
import { createRecorders } from './recorders.ts';

/** Opens the analytics for organisations without keys, with the clock of the machine. */
export function openWithoutKeys(
  settings: AnalyticsOptions['settings'],
  organisations: readonly string[],
  { log, metrics }: Pick<AnalyticsOptions, 'log' | 'metrics'> = createRecorders(),
): Promise<Analytics> {
  return openAnalytics({
    settings,
    organisations: organisations.map((id) => ({ id })),
    authenticate: () => undefined,
    clock: Date.now,
    log,
    metrics,
  });
}

/** Returns the rows of an outcome as text, or the kind of the outcome when it has no rows. */
export function textOf(outcome: QueryOutcome): string {
  return outcome.kind === 'rows' ? Buffer.from(outcome.body).toString() : outcome.kind;
}
