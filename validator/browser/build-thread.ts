import { parentPort, workerData } from 'node:worker_threads';
import { stop } from 'esbuild';
import { bundleDisguised, type StandIns } from './bundle.ts';

/** The thread of buildPrograms: bundles the programs side by side, says them, and ends. */
const scripts = await Promise.all((workerData as readonly StandIns[]).map(bundleDisguised));
await stop();
parentPort?.postMessage(scripts);
