import type { Headers } from '../visitors.ts';

/** Requests of one kind. `{number}` and `{address}` in path and header values have another value in each request. */
export interface Traffic {
  /** Scheme, host and port of the URL, without a path. */
  readonly url: string;
  readonly path: string;
  readonly headers: Headers;
  /** Each request must get 403. */
  readonly isRefused?: boolean;
}

/** GET requests of a load. Every status except 200 is an error. With `refused`, every status except 403 is an error. */
export interface LoadOptions {
  /** The number of connections. Each has at most one request under way. */
  readonly connections: number;
  readonly seconds: number;
  /** The first value of `{number}`, so that each round has other visitors. */
  readonly from?: number;
  /**
   * Before each request a connection pauses. The pauses are distributed exponentially, with this mean. With many
   * connections, requests then come independently of earlier answers.
   */
  readonly pauseMs?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Latency at the median and at the 99th percentile, in microseconds. */
  readonly p50Us: number;
  readonly p99Us: number;
}

/**
 * Returns `text` with the values for one visitor. The address is one of the two million addresses of an access
 * provider.
 */
export function fillNumber(text: string, number: number): string {
  return text.replaceAll('{number}', String(number)).replaceAll('{address}', addressOf(number));
}

function addressOf(number: number): string {
  return `84.${96 + (number % 32)}.${(number >>> 5) & 255}.${(number >>> 13) & 255}`;
}
