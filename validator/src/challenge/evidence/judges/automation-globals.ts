import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** From here on every Chromium has `navigator.webdriver`, driven or not. */
const CHROMIUM_WITH_WEBDRIVER = 90;

/**
 * What a tool left in the page: its objects, or a `navigator.webdriver` that is gone or hidden behind another one. An
 * extension of a person may give it another value for all pages, and drivers in disguise do so, too: that is a doubt.
 * Other replaced natives are common among privacy extensions and decide nothing.
 */
export const judgeAutomationGlobals: Judge = ({ evidence, claim }) => {
  const { automation, webdriver } = evidence.readings;
  if ((known(automation)?.length ?? 0) > 0) return 'automation_globals';
  const property = known(webdriver);
  if (!property) return undefined;
  const isRemoved =
    property.reported === null &&
    claim.engine === 'chromium' &&
    claim.major >= CHROMIUM_WITH_WEBDRIVER;
  if (property.ownProperty || isRemoved) return 'automation_globals';
  return property.nativeGetter === false ? 'webdriver_replaced' : undefined;
};
