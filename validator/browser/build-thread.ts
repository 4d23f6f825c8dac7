import { parentPort, workerData } from 'node:worker_threads';
import { stop } from 'esbuild';
import { type Building, bundleDisguised, hashOfSources } from './bundle.ts';

/** The thread of buildPrograms. It bundles the programs in parallel, sends them, and ends. */
const { sources, programs } = workerData as Building;
// The files can change while this process runs. New pages would not match its server code.
if (hashOfSources() !== sources) {
  throw new Error('The sources of the page have changed since the start; restart Guard.');
}
const scripts = await Promise.all(programs.map(bundleDisguised));
await stop();
parentPort?.postMessage(scripts);
