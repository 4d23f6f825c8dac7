import { median } from '../measure/rounds.ts';

export interface MemorySample {
  /** Milliseconds since the soak began. */
  readonly atMs: number;
  readonly residentMiB: number;
  readonly openFiles: number;
}

export interface MemoryGrowth {
  readonly base: Omit<MemorySample, 'atMs'>;
  readonly last: Omit<MemorySample, 'atMs'>;
  /** 0.1 means ten per cent more than the base. */
  readonly share: number;
}

const MINUTE_MS = 60_000;

/**
 * The growth of memory from the second minute to the last one, as medians. In a soak of less than four minutes, from
 * the second quarter to the last one.
 */
export function memoryGrowth(samples: readonly MemorySample[], totalMs: number): MemoryGrowth {
  const spanMs = Math.min(MINUTE_MS, totalMs / 4);
  const base = medians(samples, spanMs, 2 * spanMs);
  const lastMedians = medians(samples, totalMs - spanMs, Infinity);
  return { base, last: lastMedians, share: lastMedians.residentMiB / base.residentMiB - 1 };
}

function medians(samples: readonly MemorySample[], fromMs: number, toMs: number) {
  const samplesInSpan = samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  if (samplesInSpan.length === 0) throw new Error(`no sample of memory from ${fromMs} ms on`);
  return {
    residentMiB: median(samplesInSpan.map(({ residentMiB }) => residentMiB)),
    openFiles: median(samplesInSpan.map(({ openFiles }) => openFiles)),
  };
}
