import { descendantsOf } from './cpu-time.ts';
import type { Target } from './measure-target.ts';

type Recording = Pick<Target, 'pids' | 'recorded'>;

export const standStillNote =
  'while one target is measured, the other Guards that record are stopped: the remaining work of their databases belongs to their own rounds';

/**
 * Calls `run` while the other Guards that record are stopped, together with their databases. Otherwise their databases
 * would merge in the background, and disturb the measurement.
 */
export async function measureAlone<T>(
  target: Recording,
  targets: readonly Recording[],
  run: () => Promise<T>,
): Promise<T> {
  const otherPids = targets.flatMap(({ pids, recorded }) => (recorded ? pids : []));
  const idlePids = [...new Set(otherPids)]
    .filter((pid) => !target.pids.includes(pid))
    .flatMap((pid) => [pid, ...descendantsOf(pid)]);
  for (const pid of idlePids) process.kill(pid, 'SIGSTOP');
  try {
    return await run();
  } finally {
    for (const pid of idlePids) process.kill(pid, 'SIGCONT');
  }
}
