import type { Log } from '@guard/config/contract/ports';

/**
 * Warns when Guard runs as root. Guard does not need the rights of root: CAP_NET_BIND_SERVICE is enough for ports below
 * 1024. `uid` is undefined on systems without user ids.
 */
export function warnIfRoot(log: Log, uid: number | undefined): void {
  if (uid !== 0) return;
  log('warn', 'runs_as_root', { remedy: 'start it as a user of its own' });
}
