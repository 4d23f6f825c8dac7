import { type MetricName, metrics } from '@guard/config/contract/metrics';

/** By how much a counter has grown. */
export type CounterIncrement = readonly [
  name: MetricName,
  label: string | undefined,
  amount: number,
];

/** Maximum number of label values of a metric. Further values are counted as `other`. */
const MAX_LABELS = 256;
const OTHER = 'other';

/** The counts since the last `take`. Each request adds several counts, so one count needs only a map look-up. */
export class Counts {
  readonly #counts = new Map<MetricName, Map<string | undefined, { amount: number }>>();

  count(name: MetricName, label?: string, amount = 1): void {
    (this.#counts.get(name)?.get(label) ?? this.#add(name, label)).amount += amount;
  }

  take(): readonly CounterIncrement[] {
    const increments: CounterIncrement[] = [];
    for (const [name, labels] of this.#counts) {
      for (const [label, count] of labels) {
        if (count.amount > 0) increments.push([name, label, count.amount]);
        count.amount = 0;
      }
    }
    return increments;
  }

  #add(name: MetricName, label: string | undefined): { amount: number } {
    const labels = this.#counts.get(name) ?? new Map<string | undefined, { amount: number }>();
    this.#counts.set(name, labels);
    const key = labels.size < MAX_LABELS ? label : OTHER;
    const count = labels.get(key) ?? { amount: 0 };
    labels.set(key, count);
    return count;
  }
}

const DURATION = 'guard_decision_duration_seconds';
const { help: HELP, buckets: BOUNDS } = metrics[DURATION];

export interface NewDurations {
  /** The count of each bucket. There is one bucket more than bounds. The counts are not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** The histogram of decision times. */
export class DecisionDurations {
  /** The last bucket is for durations above all bounds. */
  readonly #counts = new Float64Array(BOUNDS.length + 1);
  #sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += seconds;
  }

  add({ counts, sum }: NewDurations): void {
    for (const [bucket, count] of counts.entries()) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    }
    this.#sum += sum;
  }

  /** Returns the durations since the last call. Undefined when there were none. */
  take(): NewDurations | undefined {
    const counts = [...this.#counts];
    if (counts.every((count) => count === 0)) return undefined;
    const sum = this.#sum;
    this.#counts.fill(0);
    this.#sum = 0;
    return { counts, sum };
  }

  /** Returns the histogram in the Prometheus text format. Its buckets are cumulative. */
  text(): string {
    const lines = [`# HELP ${DURATION} ${HELP}`, `# TYPE ${DURATION} histogram`];
    let cumulativeCount = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      cumulativeCount += count;
      lines.push(`${DURATION}_bucket{le="${BOUNDS[bucket] ?? '+Inf'}"} ${cumulativeCount}`);
    }
    lines.push(`${DURATION}_sum ${this.#sum}`, `${DURATION}_count ${cumulativeCount}`, '');
    return lines.join('\n');
  }
}
