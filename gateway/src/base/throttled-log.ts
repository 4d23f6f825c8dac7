import type { Clock, Log } from '@guard/config/contract/ports';

/**
 * A log for faults that can come with every request. It writes at most one line for each event in `everyMs`
 * milliseconds. `leftOut` in the line counts the lines that were not written before it.
 */
export function createThrottledLog(log: Log, clock: Clock, everyMs: number): Log {
  const lastLines = new Map<string, { at: number; leftOut: number }>();

  return (level, event, fields) => {
    const now = clock();
    const lastLine = lastLines.get(event);
    if (lastLine !== undefined && now >= lastLine.at && now - lastLine.at < everyMs) {
      lastLine.leftOut++;
      return;
    }
    lastLines.set(event, { at: now, leftOut: 0 });
    log(level, event, lastLine?.leftOut ? { ...fields, leftOut: lastLine.leftOut } : fields);
  };
}

/** Logs a fault of Guard's own code, with its stack. */
export function logBroken(log: Log, error: unknown): void {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log('error', 'gateway_internal_error', { detail });
}
