import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/**
 * When the console has a listener, Chromium formats the stack of a logged error. A weak finding, because a person's
 * open developer tools are a listener too.
 */
export const judgeInspector: Judge = ({ evidence }) =>
  (valueOfReading(evidence.readings.inspector)?.stacksFormatted ?? 0) > 0
    ? 'debugger_attached'
    : undefined;
