import { Pool } from 'undici';

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Latency at the median and at the 99th percentile, in microseconds. */
  readonly p50Us: number;
  readonly p99Us: number;
}

/**
 * Keeps `connections` requests under way for `seconds`: GET /, or POST of `body` to the path of
 * `url`. Any answer but 200 is an error.
 */
export async function load(
  url: string,
  headers: Readonly<Record<string, string>>,
  {
    connections,
    seconds,
    body,
  }: { readonly connections: number; readonly seconds: number; readonly body?: string },
): Promise<LoadResult> {
  const { origin, pathname: path } = new URL(url);
  const request =
    body === undefined
      ? ({ method: 'GET', path, headers } as const)
      : ({ method: 'POST', path, headers, body } as const);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const latencies: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  const lane = async () => {
    while (performance.now() < until) {
      const sentAt = performance.now();
      const answer = await pool.request(request);
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
      latencies.push((performance.now() - sentAt) * 1000);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const elapsed = (performance.now() - startedAt) / 1000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { requests: latencies.length, seconds: elapsed, p50Us: at(0.5), p99Us: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
