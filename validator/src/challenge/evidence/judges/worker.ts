import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { isPlainDesktop } from './plain-desktop.ts';

/**
 * Compares the page with its workers. In one browser both must have the same properties. Thread counts and languages
 * are not compared, because privacy modes can change them only in the page or only in the worker.
 */
export const judgeWorker: Judge = (theCase) =>
  sees(theCase, 'worker') || (isPlainDesktop(theCase) && sees(theCase, 'sharedWorker'))
    ? 'worker_mismatch'
    : undefined;

/**
 * Whether the worker reports another User-Agent or platform than the page. A shared worker on Android is not compared,
 * because desktop mode changes only the page.
 */
function sees({ evidence }: Case, name: 'worker' | 'sharedWorker'): boolean {
  const worker = valueOfReading(evidence.readings[name]);
  if (!worker || worker.userAgent === '') return false;
  if (name === 'sharedWorker' && worker.userAgent.includes('Android')) return false;
  const { userAgent, platform } = evidence.agent;
  return worker.userAgent !== userAgent || worker.platform !== platform;
}
