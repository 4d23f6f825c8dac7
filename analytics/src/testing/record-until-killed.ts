/**
 * Records events into the analytics of the settings in argv[2] (JSON), and says of each when it did: a line
 * with the request id and the time in milliseconds. To be killed.
 */
import { writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { AnalyticsSettings } from '@guard/config/settings/schema';
import { openAnalytics } from '../index.ts';
import { sampleEvent } from './sample-event.ts';

const analytics = await openAnalytics({
  // What the test wrote there.
  settings: JSON.parse(process.argv[2] ?? '') as AnalyticsSettings,
  organisations: [{ id: 'acme' }],
  authenticate: () => undefined,
  clock: Date.now,
  log: () => undefined,
  metrics: { count: () => undefined, gauge: () => undefined },
});
setInterval(() => {
  let said = '';
  for (let each = 0; each < 20; each += 1) {
    const requestId = randomUUID();
    analytics.sink.record(sampleEvent({ requestId }));
    said += `${requestId} ${Date.now()}\n`;
  }
  writeSync(1, said);
}, 5);
