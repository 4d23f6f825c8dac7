import type { Reason } from '@guard/config/contract/reasons';
import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';
import { isPlainDesktop } from './plain-desktop.ts';

/**
 * Finds a page with a user activation although the page saw no input. A driver that runs scripts causes this. It is no
 * proof by itself: an extension causes it after a click on its button, and a person who types a script into the
 * developer tools causes it too. Together with a console listener it shows a driver.
 */
export const judgeActivation: Judge = (theCase): Reason | undefined => {
  const { activation, inspector } = theCase.evidence.readings;
  const usage = valueOfReading(activation);
  if (!usage || usage.before || !usage.after || usage.inputs > 0) return undefined;
  if (!isPlainDesktop(theCase)) return undefined;
  return (valueOfReading(inspector)?.stacksFormatted ?? 0) > 0
    ? 'page_driven'
    : 'activation_without_input';
};
