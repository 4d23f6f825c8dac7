/** The program of a replay's thread: it judges the lines that it is sent, and answers each time with the counts so far. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Settings } from '@guard/config/settings/schema';
import { Comparison } from '../judge/comparison.ts';

/** A page shows no more. */
const MAX_GROUPS = 20;

const main = parentPort;
// judging-thread.ts gives each worker these.
const settings = workerData as { readonly candidate: Settings; readonly against: Settings };
const comparison = new Comparison({ ...settings, site: undefined, assumeVerified: false });

main?.on('message', (lines: readonly string[]) => {
  lines.forEach((line, index) => {
    comparison.take(line, 'events', index + 1);
  });
  const report = comparison.report();
  main.postMessage({ ...report, groups: report.groups.slice(0, MAX_GROUPS) });
});
