import type { EventSink } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { measureEvents } from '../events/watch-events.ts';
import { createMetrics, type MetricsPage } from './metrics.ts';
import { WorkerMetrics } from './worker-metrics.ts';

async function linesOf(metrics: MetricsPage, name: string): Promise<string[]> {
  const page = await metrics.page();
  return page.split('\n').filter((line) => line.startsWith(name));
}

type Event = Parameters<EventSink['record']>[0];

function eventWith(overrides: Partial<Event>): Event {
  return { challenge: 'none', blockReasons: [], durationUs: 0, ...overrides } as Event; // The metrics read only these fields.
}

describe('the Prometheus page', () => {
  test('a histogram is cumulative, ends in +Inf, and has a sum and a count', async () => {
    const metrics = createMetrics();
    for (const seconds of [0.00001, 0.003, 0.003, 7]) {
      metrics.observeDecision(seconds);
    }
    const lines = await linesOf(metrics, 'guard_decision_duration_seconds');
    expect(lines).toContain('guard_decision_duration_seconds_bucket{le="0.00001"} 1');
    expect(lines).toContain('guard_decision_duration_seconds_bucket{le="0.0025"} 1');
    expect(lines).toContain('guard_decision_duration_seconds_bucket{le="0.005"} 3');
    expect(lines).toContain('guard_decision_duration_seconds_bucket{le="+Inf"} 4');
    expect(lines).toContain('guard_decision_duration_seconds_count 4');
    expect(lines.at(-2)).toBe('guard_decision_duration_seconds_sum 7.00601');
  });

  test('above the limit of label values, counts are added to `other`, and no count is lost', async () => {
    const metrics = createMetrics();
    for (let i = 0; i < 10_000; i++) metrics.count('guard_challenges_total', `made up ${i}`);
    const lines = await linesOf(metrics, 'guard_challenges_total{');
    expect(lines.length).toBeLessThan(300);
    const sum = lines.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
    expect(sum).toBe(10_000);
    expect(lines.some((line) => line.includes('result="other"'))).toBe(true);
  });

  test('an unknown reason of a remote validator is counted as `other`', async () => {
    const metrics = createMetrics();
    const recordedEvents: unknown[] = [];
    const sink = measureEvents({ record: (event) => recordedEvents.push(event) }, metrics);
    sink.record(eventWith({ blockReasons: ['datacenter_ip', 'made_up'], durationUs: 20 }));
    sink.record(eventWith({ challenge: 'failed' }));
    expect(recordedEvents).toHaveLength(2);
    expect(await linesOf(metrics, 'guard_block_reasons_total{')).toEqual([
      'guard_block_reasons_total{reason="datacenter_ip"} 1',
      'guard_block_reasons_total{reason="other"} 1',
    ]);
    expect(await linesOf(metrics, 'guard_decision_duration_seconds_count')).toEqual([
      'guard_decision_duration_seconds_count 1',
    ]);
  });

  test('the metrics of the process have their usual names in Prometheus', async () => {
    const lines = await linesOf(createMetrics(), 'process_');
    const values = new Map(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
    expect(values.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(values.get('process_start_time_seconds')).toBeGreaterThan(1.7e9);
  });
});

describe('the reports of worker threads', () => {
  test('counters and durations of all threads and reports are added', async () => {
    const metrics = createMetrics();
    const workers = [new WorkerMetrics(), new WorkerMetrics()];
    metrics.count('guard_decisions_total', 'allow');
    for (let round = 0; round < 2; round++) {
      for (const worker of workers) {
        worker.count('guard_decisions_total', 'allow', 2);
        worker.observeDecision(0.001);
        metrics.addReport(worker, worker.takeReport());
      }
    }
    expect(await linesOf(metrics, 'guard_decisions_total{')).toEqual([
      'guard_decisions_total{action="allow"} 9',
    ]);
    expect(await linesOf(metrics, 'guard_decision_duration_seconds_count')).toEqual([
      'guard_decision_duration_seconds_count 4',
    ]);
    expect(await linesOf(metrics, 'guard_event_loop_busy_seconds_total{thread="workers"}')).toEqual(
      [expect.stringMatching(/ [\d.e-]+$/)],
    );
  });

  test('the page shows the highest value of a gauge among the running threads', async () => {
    const metrics = createMetrics();
    metrics.gauge('guard_store_away', () => 0);
    const worker = new WorkerMetrics();
    worker.gauge('guard_store_away', () => 1);
    metrics.addReport(worker, worker.takeReport());
    expect(await linesOf(metrics, 'guard_store_away')).toEqual(['guard_store_away 1']);
    metrics.removeWorker(worker);
    expect(await linesOf(metrics, 'guard_store_away')).toEqual(['guard_store_away 0']);
  });

  test('the report of a worker has no gauges of the whole process', () => {
    const worker = new WorkerMetrics();
    worker.gauge('guard_workers', () => 7);
    expect(worker.takeReport().gauges.size).toBe(0);
  });
});
