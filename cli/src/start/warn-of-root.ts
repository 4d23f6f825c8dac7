import type { Log } from '@guard/config/contract/ports';

/**
 * Says so when the process has every right on the machine: Guard needs none of them, but for ports below
 * 1024, which CAP_NET_BIND_SERVICE allows. `uid` is undefined where the system has no such number.
 */
export function warnOfRoot(log: Log, uid: number | undefined): void {
  if (uid !== 0) return;
  log('warn', 'runs_as_root', { remedy: 'start it as a user of its own' });
}
