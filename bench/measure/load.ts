import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { isOnPath } from '../../test/kit/tools.ts';
import { fillNumber, type LoadOptions, type LoadResult, type Traffic } from './traffic.ts';
import type { Headers } from '../visitors.ts';
import { wrk } from './wrk.ts';

const hasWrk = isOnPath('wrk');
/** The program that makes the load, for the notes of a report. */
export const loadedBy = hasWrk
  ? 'load by wrk, one thread'
  : 'load by undici (wrk is not installed)';

/** Loads a target with GET requests. Uses wrk if it is installed. */
export function load(traffic: Traffic, options: LoadOptions): Promise<LoadResult> {
  return hasWrk ? wrk(traffic, options) : loadFromHere(traffic, options);
}

function loadFromHere(
  { url, path, headers, isRefused }: Traffic,
  { connections, seconds, from = 0, pauseMs }: LoadOptions,
): Promise<LoadResult> {
  const fields = Object.entries(headers);
  let number = from;
  const status = isRefused === true ? 403 : 200;
  return drive(url, { connections, seconds, status }, async (pool) => {
    if (pauseMs !== undefined) await sleep(-Math.log(1 - Math.random()) * pauseMs);
    number += 1;
    const filledFields = fields.map(([name, value]) => [name, fillNumber(value, number)] as const);
    const request = { path: fillNumber(path, number), headers: Object.fromEntries(filledFields) };
    return () => pool.request({ ...request, method: 'GET' });
  });
}

/** Loads a target with POST requests of one body. Any status but 200 is an error. */
export function post(
  url: string,
  headers: Headers,
  body: string,
  options: { readonly connections: number; readonly seconds: number },
): Promise<LoadResult> {
  const { origin, pathname: path } = new URL(url);
  const request = { method: 'POST', path, headers, body } as const;
  return drive(origin, options, (pool) => Promise.resolve(() => pool.request(request)));
}

interface Driving {
  readonly connections: number;
  readonly seconds: number;
  readonly status?: number;
}

async function drive(
  url: string,
  { connections, seconds, status = 200 }: Driving,
  nextRequest: (pool: Pool) => Promise<() => ReturnType<Pool['request']>>,
): Promise<LoadResult> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const latencies: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const lane = async () => {
    while (performance.now() < endAt) {
      const send = await nextRequest(pool);
      const sentAt = performance.now();
      const answer = await send();
      await answer.body.dump();
      if (answer.statusCode !== status) throw new Error(`${url} answered ${answer.statusCode}`);
      latencies.push((performance.now() - sentAt) * 1000);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const elapsedS = (performance.now() - startedAt) / 1000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    requests: latencies.length,
    seconds: elapsedS,
    p50Us: percentile(0.5),
    p99Us: percentile(0.99),
  };
}

/**
 * The time for which a process is loaded before its latencies are measured. During this time the optimizing compiler of
 * the process uses the same core, and delays requests for up to 40 ms.
 */
export const WARM_SECONDS = 20;
export const warmNote = `each process was loaded for ${WARM_SECONDS} s before: until then its compiler shares its core`;
