import { cpuTime } from './cpu-time.ts';
import { load } from './load.ts';
import type { LoadOptions, Traffic } from './traffic.ts';

/** Something that answers requests, and the processes that do the work for it. */
export interface Target extends Traffic {
  readonly name: string;
  /** With their children. */
  readonly pids: readonly number[];
  /** The children of its process are the database. */
  readonly recorded: boolean;
}

export interface Sample {
  readonly requestsPerS: number;
  /** All processes of the target together. */
  readonly cpuUs: number;
  /** The database's share of it. */
  readonly databaseUs: number;
  /** How much of one core the target used: well below 1, something else was the bottleneck. */
  readonly busy: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

/** Drives one target, and says what it reached and what that cost. */
export async function measureTarget(
  target: Target,
  options: LoadOptions,
  drive: typeof load = load,
): Promise<Sample> {
  const before = spentBy(target);
  const { requests, seconds, p50Us, p99Us } = await drive(target, options);
  const after = spentBy(target);
  const childrenUs = after.childrenUs - before.childrenUs;
  const cpuUs = after.ownUs - before.ownUs + childrenUs;
  return {
    requestsPerS: requests / seconds,
    cpuUs: cpuUs / requests,
    databaseUs: target.recorded ? childrenUs / requests : 0,
    busy: cpuUs / 1e6 / seconds,
    p50Us,
    p99Us,
  };
}

function spentBy({ pids }: Target): { readonly ownUs: number; readonly childrenUs: number } {
  const times = pids.map(cpuTime);
  return {
    ownUs: times.reduce((sum, { ownUs }) => sum + ownUs, 0),
    childrenUs: times.reduce((sum, { childrenUs }) => sum + childrenUs, 0),
  };
}
