import type { Log } from '@guard/config/contract/ports';
import type { Writable } from 'node:stream';

/** How many bytes may wait for a reader that does not read. Further lines are lost. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Writes one JSON object a line: time, level, event and its fields. `onLost` is called for each line that is dropped. */
export function createLog(stream: Writable, onLost: () => void): Log {
  return (level, event, fields = {}) => {
    if (stream.writableLength > MAX_WAITING_BYTES) {
      onLost();
      return;
    }
    stream.write(
      `${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`,
    );
  };
}
