/** Records events into the analytics of the folder in argv[2], and says how many were acknowledged: to be killed. */
import { openAnalytics } from '../src/index.ts';
import { sampleEvent } from './sample-event.ts';

let written = 0;
const analytics = await openAnalytics({
  settings: { engine: 'embedded', path: process.argv[2] ?? '' },
  organisations: [{ id: 'acme' }],
  authenticate: () => undefined,
  clock: Date.now,
  log: () => undefined,
  metrics: {
    count: (_name, label, by = 1) => {
      if (label !== 'written') return;
      written += by;
      process.stdout.write(`written ${written}\n`);
    },
    gauge: () => undefined,
  },
});
setInterval(() => {
  for (let each = 0; each < 100; each += 1) analytics.sink.record(sampleEvent());
}, 5);
