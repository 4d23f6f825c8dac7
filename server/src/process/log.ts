import type { Log } from '@guard/config/contract/ports';
import type { Writable } from 'node:stream';

/** What may wait for a reader that has stopped reading, in bytes; lines beyond it are lost. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** One JSON object a line: time, level, event, and what the event carries. `onLost` hears of a line that is dropped. */
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
