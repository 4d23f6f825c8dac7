import type { BenchOptions } from './report.ts';

/** The samples of every target, by its name. Each round adds one. */
export type Samples<S> = ReadonlyMap<string, readonly S[]>;

/**
 * Measures the targets one after the other in each round. Every second round is in reverse order. So a slow minute
 * affects all targets.
 */
export async function runInRounds<T extends { readonly name: string }, S>(
  targets: readonly T[],
  { rounds, onProgress }: BenchOptions,
  measure: (target: T, round: number) => Promise<S>,
): Promise<Samples<S>> {
  const samples = new Map(targets.map(({ name }) => [name, [] as S[]]));
  for (let round = 1; round <= rounds; round++) {
    for (const target of round % 2 === 0 ? targets.toReversed() : targets) {
      onProgress(`round ${round} of ${rounds}: ${target.name}`);
      samples.get(target.name)?.push(await measure(target, round));
    }
  }
  return samples;
}

export function median(values: readonly number[]): number {
  const sortedValues = [...values].sort((a, b) => a - b);
  return sortedValues[Math.floor(sortedValues.length / 2)] ?? 0;
}

/** The median of one figure over the samples of a target. */
export function medianOf<S>(samples: Samples<S>, name: string, read: (sample: S) => number) {
  return median((samples.get(name) ?? []).map(read));
}

/**
 * Computes a figure from the samples of two targets in the same round, and returns its median over all rounds.
 * Undefined when one of the targets was not measured.
 */
export function pairedRatio<S>(
  samples: Samples<S>,
  [one, other]: readonly [string, string],
  relate: (one: S, other: S) => number,
): number | undefined {
  const otherSamples = samples.get(other) ?? [];
  const ratios = (samples.get(one) ?? []).flatMap((sample, round) => {
    const counterpart = otherSamples[round];
    return counterpart === undefined ? [] : [relate(sample, counterpart)];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}
