import type { Reason } from '@guard/config/contract/reasons';
import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';
import { isPlainDesktop } from './plain-desktop.ts';

/**
 * The page counts as used, and saw no input: a driver runs its scripts so. Extensions can do it too, in the moment
 * after a click on their own button, so alone that is no proof; nor are developer tools, where somebody typed a script.
 * Both at once, within the second that the page takes, is a driver that also listens to the console.
 */
export const judgeActivation: Judge = (theCase): Reason | undefined => {
  const { activation, inspector } = theCase.evidence.readings;
  const used = known(activation);
  if (!used || used.before || !used.after || used.inputs > 0) return undefined;
  if (!isPlainDesktop(theCase)) return undefined;
  return (known(inspector)?.stacksFormatted ?? 0) > 0 ? 'page_driven' : 'activation_without_input';
};
