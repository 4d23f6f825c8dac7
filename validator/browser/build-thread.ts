import { parentPort, workerData } from 'node:worker_threads';
import { bundleDisguised, type StandIns } from './build.ts';

/** The thread of buildProgram: bundles one program, says it, and ends. */
parentPort?.postMessage(await bundleDisguised(workerData as StandIns));
