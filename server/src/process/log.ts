import type { Log } from '@guard/config/contract/ports';
import { inertJson } from '@guard/config/settings/problems/problems';
import type { Settings } from '@guard/config/settings/schema';
import type { Writable } from 'node:stream';
import { ecsLine } from './ecs.ts';

/** Most bytes that wait for a slow reader. Further lines are dropped. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * Writes one JSON object a line: time, level, event and its fields, in the names that `format` asks for now. `onLost` is called
 * for each line that is dropped.
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
