import type { Clock, Log } from '@guard/config/contract/ports';

/**
 * A log for faults that can come with every request. It writes one line for each event in `everyMs`
 * milliseconds. `leftOut` in the line counts the lines that were not written before it.
 */
export function createThrottledLog(log: Log, clock: Clock, everyMs: number): Log {
  const last = new Map<string, { at: number; leftOut: number }>();

  return (level, event, fields) => {
    const now = clock();
    const before = last.get(event);
    if (before !== undefined && now >= before.at && now - before.at < everyMs) {
      before.leftOut++;
      return;
    }
    last.set(event, { at: now, leftOut: 0 });
    log(level, event, before?.leftOut ? { ...fields, leftOut: before.leftOut } : fields);
  };
}
