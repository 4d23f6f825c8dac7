/** Opens the analytics of the folder in argv[2], logs the state, and waits. The test kills this process. */
import { openWithoutKeys } from './open-analytics.ts';

await openWithoutKeys({ engine: 'embedded', path: process.argv[2] ?? '' }, [], {
  log: (level, event, fields) => {
    process.stdout.write(`${JSON.stringify({ level, event, ...fields })}\n`);
  },
  metrics: { count: () => undefined, gauge: () => undefined },
});
