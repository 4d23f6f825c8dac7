import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** A weak finding, because a developer with open tools also has a listener of the console. */
export const judgeInspector: Judge = ({ evidence }) =>
  (valueOfReading(evidence.readings.inspector)?.stacksFormatted ?? 0) > 0
    ? 'debugger_attached'
    : undefined;
