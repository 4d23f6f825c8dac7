import { cpuTime } from './cpu-time.ts';
import { load } from './load.ts';
import type { LoadOptions, Traffic } from './traffic.ts';

/** A server under test, with all of its processes. */
export interface Target extends Traffic {
  readonly name: string;
  /** The ids of the processes. Their child processes are also measured. */
  readonly pids: readonly number[];
  /** True if child processes of the target are a database. */
  readonly recorded: boolean;
}

export interface Sample {
  readonly requestsPerS: number;
  /** The CPU time of all processes of the target, for each request. */
  readonly cpuUs: number;
  readonly databaseUs: number;
  /** The share of one core that the target used. When it is well below 1, the bottleneck was somewhere else. */
  readonly busy: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

/** Loads one target. Returns its throughput and its CPU time. */
export async function measureTarget(
  target: Target,
  options: LoadOptions,
  drive: typeof load = load,
): Promise<Sample> {
  const cpuBefore = cpuTimeOf(target);
  const { requests, seconds, p50Us, p99Us } = await drive(target, options);
  const cpuAfter = cpuTimeOf(target);
  const childrenUs = cpuAfter.childrenUs - cpuBefore.childrenUs;
  const cpuUs = cpuAfter.ownUs - cpuBefore.ownUs + childrenUs;
  return {
    requestsPerS: requests / seconds,
    cpuUs: cpuUs / requests,
    databaseUs: target.recorded ? childrenUs / requests : 0,
    busy: cpuUs / 1e6 / seconds,
    p50Us,
    p99Us,
  };
}

function cpuTimeOf({ pids }: Target): { readonly ownUs: number; readonly childrenUs: number } {
  const times = pids.map(cpuTime);
  return {
    ownUs: times.reduce((sum, { ownUs }) => sum + ownUs, 0),
    childrenUs: times.reduce((sum, { childrenUs }) => sum + childrenUs, 0),
  };
}
