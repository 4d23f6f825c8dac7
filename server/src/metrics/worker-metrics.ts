import type { MetricName } from '@guard/config/contract/metrics';
import { Counts, DecisionDurations } from './counts.ts';
import { isOfEachThread, type MetricsPage, type MetricsReport } from './metrics.ts';
import { createBusySeconds } from './process-metrics.ts';

type ReadGauge = Parameters<MetricsPage['gauge']>[1];

/**
 * The metrics of a worker, which reports them to the main thread. It has only the gauges that differ between threads.
 */
export class WorkerMetrics extends Counts implements MetricsPage {
  /** A worker has no page: only the main thread has one. */
  readonly contentType = '';
  readonly #durations = new DecisionDurations();
  readonly #gauges = new Map<MetricName, ReadGauge>();
  readonly #busySeconds = createBusySeconds();

  observeDecision(seconds: number): void {
    this.#durations.observe(seconds);
  }

  gauge(name: MetricName, read: ReadGauge): void {
    if (isOfEachThread(name)) this.#gauges.set(name, read);
  }

  /** Returns the counts since the last report, and the current gauges. */
  takeReport(): MetricsReport {
    this.count('guard_event_loop_busy_seconds_total', 'workers', this.#busySeconds());
    const gauges = new Map<MetricName, number>();
    for (const [name, read] of this.#gauges) {
      const value = read();
      if (typeof value === 'number') gauges.set(name, value);
    }
    return { counters: this.take(), durations: this.#durations.take(), gauges };
  }

  addReport(_worker: object, report: MetricsReport): void {
    for (const [name, label, amount] of report.counters) this.count(name, label, amount);
    if (report.durations) this.#durations.add(report.durations);
  }

  removeWorker(): void {
    // Does nothing, because a worker gets no reports.
  }

  page(): Promise<string> {
    return Promise.resolve('');
  }

  values(): Promise<Readonly<Record<string, number>>> {
    return Promise.resolve({});
  }
}
