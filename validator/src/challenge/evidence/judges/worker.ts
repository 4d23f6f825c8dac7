import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { isPlainDesktop } from './plain-desktop.ts';

/**
 * Compares the page with its workers, which run in the same browser and must see the same properties. Thread counts and
 * languages are not compared, because privacy modes change them for each context.
 */
export const judgeWorker: Judge = (theCase) =>
  sees(theCase, 'worker') || (isPlainDesktop(theCase) && sees(theCase, 'sharedWorker'))
    ? 'worker_mismatch'
    : undefined;

/** Whether the worker sees another browser. Desktop mode on a phone does not change a shared worker. */
function sees({ evidence }: Case, name: 'worker' | 'sharedWorker'): boolean {
  const worker = valueOfReading(evidence.readings[name]);
  if (!worker || worker.userAgent === '') return false;
  if (name === 'sharedWorker' && worker.userAgent.includes('Android')) return false;
  const { userAgent, platform } = evidence.agent;
  return worker.userAgent !== userAgent || worker.platform !== platform;
}
