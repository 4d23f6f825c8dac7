import type { QueryOutcome } from '@guard/config/contract/ports';
import { type Analytics, type AnalyticsOptions, openAnalytics } from '../index.ts';
import { createRecorders } from './recorders.ts';

/** Opens analytics for organisations without keys, on the machine's clock. */
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

/** The rows of an outcome, or its kind when it has no rows. */
export function textOf(outcome: QueryOutcome): string {
  return outcome.kind === 'rows' ? Buffer.from(outcome.body).toString() : outcome.kind;
}
