import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadOptions, LoadResult, Traffic } from './traffic.ts';

/** The number of requests under way on one connection. */
export const STREAMS = 8;

/**
 * Puts load on a target over HTTP/2. h2load is not used over HTTP/1.1, because there it does not stop at the end of its
 * time.
 */
export async function h2load(
  { url, path, headers }: Traffic,
  { connections, seconds }: LoadOptions,
): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-h2load-'));
  try {
    const log = join(folder, 'requests.log');
    const { stdout } = await promisify(execFile)('h2load', [
      ...['--threads=1', `--clients=${connections}`, `--max-concurrent-streams=${STREAMS}`],
      ...[`--duration=${seconds}`, `--log-file=${log}`, ...headerArguments(headers)],
      `${url}${path}`,
    ]);
    return { ...resultOf(await readFile(log, 'utf8'), `${url}\n${stdout}`), seconds };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the log. Each line is one request: the time of sending, the status, and the duration in microseconds. */
function resultOf(log: string, context: string): Omit<LoadResult, 'seconds'> {
  const latencies: number[] = [];
  for (const line of log.trimEnd().split('\n')) {
    const [, status, us] = line.split('\t');
    if (status !== '200') throw new Error(`a request got status ${status}: ${context}`);
    latencies.push(Number(us));
  }
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { requests: latencies.length, p50Us: percentile(0.5), p99Us: percentile(0.99) };
}

/**
 * Returns the header fields in the form of HTTP/2, without fields about the connection (RFC 9113 sections 8.2.2 and
 * 8.3.1). h2load always sends the User-Agent first.
 */
function headerArguments(headers: Traffic['headers']): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (name === 'connection') return [];
    return `--header=${name === 'host' ? ':authority' : name}: ${value}`;
  });
}
