/** Opens the analytics of the folder in argv[2], says so, and then does nothing: to be killed. */
import { openAnalytics } from '../index.ts';

await openAnalytics({
  settings: { engine: 'embedded', path: process.argv[2] ?? '' },
  organisations: [],
  authenticate: () => undefined,
  clock: Date.now,
  log: (level, event, fields) => {
    process.stdout.write(`${JSON.stringify({ level, event, ...fields })}\n`);
  },
  metrics: { count: () => undefined, gauge: () => undefined },
});
