import type { Headers } from '../visitors.ts';

/** Requests of one kind. `{number}` and `{address}` in path and header values have another value in each request. */
export interface Traffic {
  /** Origin of the URL, without a path. */
  readonly url: string;
  readonly path: string;
  readonly headers: Headers;
  /** Each request must get 403. */
  readonly isRefused?: boolean;
}

/** GET requests of a load. Any status but 200 is an error, or any but 403 with `refused`. */
export interface LoadOptions {
  /** Connections, each with at most one request under way. */
  readonly connections: number;
  readonly seconds: number;
  /** The first `{number}`, so that each round has other visitors. */
  readonly from?: number;
  /**
   * The mean of the exponentially distributed pause of a connection before each request. With many connections,
   * requests then come independently of earlier answers.
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

/** `text` for one visitor. The address is one of two million of an access provider. */
export function fillNumber(text: string, number: number): string {
  return text.replaceAll('{number}', String(number)).replaceAll('{address}', addressOf(number));
}

function addressOf(number: number): string {
  return `84.${96 + (number % 32)}.${(number >>> 5) & 255}.${(number >>> 13) & 255}`;
}
