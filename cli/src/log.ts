import type { Log } from '@guard/config/contract/ports';
import type { Writable } from 'node:stream';

/** One JSON object a line: time, level, event, and what the event carries. */
export function createLog(stream: Writable): Log {
  return (level, event, fields = {}) => {
    stream.write(
      `${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`,
    );
  };
}
