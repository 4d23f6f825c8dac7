import { known } from '../evidence.ts';
import type { Judge } from './case.ts';

/**
 * A worker runs in the same browser and must see the same one. Thread counts and languages are left
 * out: privacy modes change them per context.
 */
export const judgeWorker: Judge = ({ evidence }) => {
  const worker = known(evidence.readings.worker);
  if (!worker || worker.userAgent === '') return undefined;
  const { userAgent, platform } = evidence.agent;
  return worker.userAgent !== userAgent || worker.platform !== platform
    ? 'worker_mismatch'
    : undefined;
};
