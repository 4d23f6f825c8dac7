import { expect, test } from 'vitest';
import { createThrottledLog } from './throttled-log.ts';

test('each event gets one line per interval, with the number of lines left out', () => {
  let now = 0;
  const lines: unknown[] = [];
  const log = createThrottledLog(
    (level, event, fields) => lines.push([level, event, fields]),
    () => now,
    100,
  );
  log('warn', 'a', { n: 1 });
  log('warn', 'a', { n: 2 });
  log('warn', 'b');
  now = 99;
  log('warn', 'a', { n: 3 });
  now = 100;
  log('warn', 'a', { n: 4 });
  // A clock that was set back must not silence the log.
  now = 50;
  log('warn', 'a', { n: 5 });
  expect(lines).toEqual([
    ['warn', 'a', { n: 1 }],
    ['warn', 'b', undefined],
    ['warn', 'a', { n: 4, leftOut: 2 }],
    ['warn', 'a', { n: 5 }],
  ]);
});
