import type { DecisionEvent } from '@guard/config/contract/event';
import type { EventSink } from '@guard/config/contract/ports';
import { isReason } from '@guard/config/contract/reasons';
import type { MetricsPage } from '../metrics/metrics.ts';

/** Counts the reasons and the duration of every event on its way to `sink`. */
export function measureEvents(
  sink: EventSink,
  metrics: Pick<MetricsPage, 'count' | 'observe'>,
): EventSink {
  return {
    record(event: DecisionEvent) {
      // An upload that failed is no decision, and has no duration.
      if (event.challenge !== 'failed') {
        metrics.observe('guard_decision_duration_seconds', event.durationUs / 1e6);
      }
      for (const reason of event.blockReasons) {
        metrics.count('guard_block_reasons_total', isReason(reason) ? reason : 'other');
      }
      sink.record(event);
    },
  };
}
