import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** Finds a listener of the console: a driver, or a developer with open tools. So it is a weak finding. */
export const judgeInspector: Judge = ({ evidence }) =>
  (valueOfReading(evidence.readings.inspector)?.stacksFormatted ?? 0) > 0
    ? 'debugger_attached'
    : undefined;
