import type { Headers } from './visitors.ts';

/** Requests of one kind. `{number}` and `{address}` in path and header values differ from one to the next. */
export interface Traffic {
  /** Origin of the URL, without a path. */
  readonly url: string;
  readonly path: string;
  readonly headers: Headers;
  /** Each request is answered with 403, and nothing else. */
  readonly isRefused?: boolean;
}

/** GET requests of a load, to which any answer but 200 is an error, or any but 403 where they are refused. */
export interface LoadOptions {
  /** Connections, each with at most one request under way. */
  readonly connections: number;
  readonly seconds: number;
  /** The first `{number}`, so that no two rounds are the same visitors. */
  readonly from?: number;
  /**
   * What a connection waits before each request, exponentially distributed around this mean: with
   * many connections, requests then come whether or not the earlier ones were answered.
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

/** `text` for one visitor; the address is one of two million of an access provider. */
export function fill(text: string, number: number): string {
  return text.replaceAll('{number}', String(number)).replaceAll('{address}', addressOf(number));
}

function addressOf(number: number): string {
  return `84.${96 + (number % 32)}.${(number >>> 5) & 255}.${(number >>> 13) & 255}`;
}
