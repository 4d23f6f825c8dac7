import { descendantsOf } from './cpu-time.ts';
import type { Target } from './measure-target.ts';

type Recording = Pick<Target, 'pids' | 'recorded'>;

export const standStillNote =
  'while one target is measured, the other Guards that record stand still: what their databases have left to do is part of their own rounds';

/**
 * Runs something while the recording Guards among the other targets stand still, their databases with
 * them: those go on merging what they were given, which would be a load beside somebody else's.
 */
export async function alone<T>(
  target: Recording,
  targets: readonly Recording[],
  run: () => Promise<T>,
): Promise<T> {
  const others = targets.flatMap(({ pids, recorded }) => (recorded ? pids : []));
  const still = [...new Set(others)]
    .filter((pid) => !target.pids.includes(pid))
    .flatMap((pid) => [pid, ...descendantsOf(pid)]);
  for (const pid of still) process.kill(pid, 'SIGSTOP');
  try {
    return await run();
  } finally {
    for (const pid of still) process.kill(pid, 'SIGCONT');
  }
}
