import { parentPort, workerData } from 'node:worker_threads';
import { stop } from 'esbuild';
import { type Building, bundleDisguised, hashOfSources } from './bundle.ts';

/** The thread of buildPrograms: bundles the programs side by side, says them, and ends. */
const { sources, programs } = workerData as Building;
// An update in place gives pages that the server of this process cannot read.
if (hashOfSources() !== sources) {
  throw new Error('The sources of the page have changed since the start; restart Guard.');
}
const scripts = await Promise.all(programs.map(bundleDisguised));
await stop();
parentPort?.postMessage(scripts);
