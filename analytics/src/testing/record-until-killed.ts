/**
 * Records events with the settings in argv[2] (JSON), and prints the request id and time of each event. It ends when it
 * is killed.
 */
import { writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { AnalyticsSettings } from '@guard/config/settings/schema';
import { openWithoutKeys } from './open-analytics.ts';
import { sampleEvent } from './sample-event.ts';

// The test wrote these settings, so they are valid.
const settings = JSON.parse(process.argv[2] ?? '') as AnalyticsSettings;
const analytics = await openWithoutKeys(settings, ['acme']);
setInterval(() => {
  let output = '';
  for (let index = 0; index < 20; index += 1) {
    const requestId = randomUUID();
    analytics.sink.record(sampleEvent({ requestId }));
    output += `${requestId} ${Date.now()}\n`;
  }
  writeSync(1, output);
}, 5);
