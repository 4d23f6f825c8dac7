import { known } from '../evidence.ts';
import type { Judge } from './case.ts';

/** From here on every Chromium has `navigator.webdriver`, driven or not. */
const CHROMIUM_WITH_WEBDRIVER = 90;

/**
 * What a tool left in the page: its objects, or a `navigator.webdriver` that is no longer the
 * browser's own. Nobody but a disguised driver has a reason to replace that one; other replaced
 * natives are common among privacy extensions and decide nothing.
 */
export const judgeAutomationGlobals: Judge = ({ evidence, claim }) => {
  const { automation, webdriver } = evidence.readings;
  if ((known(automation)?.length ?? 0) > 0) return 'automation_globals';
  const property = known(webdriver);
  if (!property) return undefined;
  const replaced = property.ownProperty || property.nativeGetter === false;
  const removed =
    property.reported === null &&
    claim.engine === 'chromium' &&
    claim.major >= CHROMIUM_WITH_WEBDRIVER;
  return replaced || removed ? 'automation_globals' : undefined;
};
