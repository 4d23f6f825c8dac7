import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** Since this version every Chromium has `navigator.webdriver`, with or without a driver. */
const CHROMIUM_WITH_WEBDRIVER = 90;

/**
 * Finds traces of an automation tool in the page: its objects, or a missing or replaced `navigator.webdriver`. A
 * replaced getter is only a doubt, because a person's extension can replace it on all pages, as disguised drivers do.
 * Other replaced native functions are no finding, because many privacy extensions replace them.
 */
export const judgeAutomationGlobals: Judge = ({ evidence, claim }) => {
  const { automation, webdriver } = evidence.readings;
  if ((valueOfReading(automation)?.length ?? 0) > 0) return 'automation_globals';
  const property = valueOfReading(webdriver);
  if (!property) return undefined;
  const isRemoved =
    property.reported === null &&
    claim.engine === 'chromium' &&
    claim.major >= CHROMIUM_WITH_WEBDRIVER;
  if (property.ownProperty || isRemoved) return 'automation_globals';
  return property.nativeGetter === false ? 'webdriver_replaced' : undefined;
};
