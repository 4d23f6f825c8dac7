/** What a distribution has taken up since the last time it was asked: a count for each bucket, and the sum. */
export interface Observed {
  /** One more than there are bounds; not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Values counted by the bucket they fall into: a histogram of Prometheus. */
export class Distribution {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** `bounds`: upper bounds, ascending; what is above the last one has a bucket of its own. */
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

  add({ counts, sum }: Observed): void {
    for (const [bucket, count] of counts.entries()) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    }
    this.#sum += sum;
  }

  /** Undefined when there was nothing since the last time. */
  take(): Observed | undefined {
    const counts = [...this.#counts];
    if (counts.every((count) => count === 0)) return undefined;
    const sum = this.#sum;
    this.#counts.fill(0);
    this.#sum = 0;
    return { counts, sum };
  }

  /** In the Prometheus text format, buckets cumulative as it wants them. */
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
