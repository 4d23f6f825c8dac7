import { type MetricName, type MetricOf, metrics } from '@guard/config/contract/metrics';

/** How much a counter has grown. */
export type CounterIncrement = readonly [name: MetricName, label: string | undefined, by: number];

/** A metric should have fewer label values than this. Further values count as `other`. */
const MAX_LABELS = 256;
const OTHER = 'other';

/** Counts since the last `take`. A request counts several times, so a count has to be cheap: one map lookup. */
export class Counts {
  readonly #counts = new Map<MetricName, Map<string | undefined, { by: number }>>();

  count(name: MetricName, label?: string, by = 1): void {
    (this.#counts.get(name)?.get(label) ?? this.#add(name, label)).by += by;
  }

  /** Returns the counts since the last call. */
  take(): readonly CounterIncrement[] {
    const taken: CounterIncrement[] = [];
    for (const [name, labels] of this.#counts) {
      for (const [label, count] of labels) {
        if (count.by > 0) taken.push([name, label, count.by]);
        count.by = 0;
      }
    }
    return taken;
  }

  #add(name: MetricName, label: string | undefined): { by: number } {
    const labels = this.#counts.get(name) ?? new Map<string | undefined, { by: number }>();
    this.#counts.set(name, labels);
    const key = labels.size < MAX_LABELS ? label : OTHER;
    const count = labels.get(key) ?? { by: 0 };
    labels.set(key, count);
    return count;
  }
}

export type HistogramName = MetricOf<'histogram'>;

/** The values of a histogram since the last `take`: a count for each bucket, and the sum of the values. */
interface HistogramValues {
  /** One more than the number of bounds. The counts are not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** The name of a histogram and its new values. */
export type NamedValues = readonly [name: HistogramName, values: HistogramValues];

interface Histograms {
  readonly observe: (name: HistogramName, value: number) => void;
  readonly add: (values: readonly NamedValues[]) => void;
  /** The values since the last call, without histograms that have no new value. */
  readonly take: () => readonly NamedValues[];
  /** All histograms in the Prometheus text format. */
  readonly text: () => string;
}

/** Creates all histograms of the contract. */
export function createHistograms(): Histograms {
  const duration = 'guard_decision_duration_seconds';
  const all: Readonly<Record<HistogramName, Histogram>> = {
    [duration]: new Histogram(metrics[duration].buckets),
  };
  const names = Object.keys(all) as HistogramName[]; // the keys of the record above
  return {
    observe: (name, value) => {
      all[name].observe(value);
    },
    add: (added) => {
      for (const [name, values] of added) all[name].add(values);
    },
    take: () =>
      names.flatMap((name): NamedValues[] => {
        const values = all[name].take();
        return values ? [[name, values]] : [];
      }),
    text: () => names.map((name) => all[name].text(name, metrics[name].help)).join(''),
  };
}

/** Counts values by the bucket into which they fall. */
class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** `bounds`: upper bounds, ascending. Values above the last one have a bucket of their own. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  add({ counts, sum }: HistogramValues): void {
    for (const [bucket, count] of counts.entries()) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    }
    this.#sum += sum;
  }

  /** The values since the last call. Undefined when there were none. */
  take(): HistogramValues | undefined {
    const counts = [...this.#counts];
    if (counts.every((count) => count === 0)) return undefined;
    const sum = this.#sum;
    this.#counts.fill(0);
    this.#sum = 0;
    return { counts, sum };
  }

  /** The Prometheus text format, in which buckets are cumulative. */
  text(name: string, help: string): string {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    let below = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      below += count;
      lines.push(`${name}_bucket{le="${this.#bounds[bucket] ?? '+Inf'}"} ${below}`);
    }
    lines.push(`${name}_sum ${this.#sum}`, `${name}_count ${below}`, '');
    return lines.join('\n');
  }
}
