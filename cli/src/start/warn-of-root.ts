import type { Log } from '@guard/config/contract/ports';

/**
 * Warns when the process runs as root. Guard needs no right of root. For ports below 1024,
 * CAP_NET_BIND_SERVICE is enough. `uid` is undefined where the system has no user ids.
 */
export function warnOfRoot(log: Log, uid: number | undefined): void {
  if (uid !== 0) return;
  log('warn', 'runs_as_root', { remedy: 'start it as a user of its own' });
}
