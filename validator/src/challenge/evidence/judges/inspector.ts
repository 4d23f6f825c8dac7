import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** The console has a listener: a driver, or a developer with the tools open. Weak for that reason. */
export const judgeInspector: Judge = ({ evidence }) =>
  (known(evidence.readings.inspector)?.stacksFormatted ?? 0) > 0 ? 'debugger_attached' : undefined;
