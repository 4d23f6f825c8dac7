import type { Log } from '@guard/config/contract/ports';
import { inertJson } from '@guard/config/settings/problems/problems';
import type { Settings } from '@guard/config/settings/schema';
import type { Writable } from 'node:stream';
import { ecsLine } from './ecs.ts';

/** The maximum number of bytes that are kept for a slow reader. Further lines are dropped. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * Writes one JSON object per line. `format` decides at that moment which names the fields have. Calls `onLost` for each
 * dropped line.
 */
export function createLog(
  stream: Writable,
  onLost: () => void,
  format: () => Settings['log']['format'],
): Log {
  return (level, event, fields = {}) => {
    if (stream.writableLength > MAX_WAITING_BYTES) {
      onLost();
      return;
    }
    const time = new Date().toISOString();
    const line =
      format() === 'ecs' ? ecsLine(time, level, event, fields) : { time, level, event, ...fields };
    stream.write(`${inertJson(line)}\n`);
  };
}
