import { clip } from '../clip.ts';
import { LIMITS } from '../../../page-contract/limits.ts';
import type { Source } from '../source.ts';

/** Facts about the browser, read in an empty frame of this page. */
export const frame: Source<'frame'> = ({ inside }) => {
  if (!inside) return undefined;
  const { navigator: browser } = inside;
  const webdriver: unknown = browser.webdriver;
  return {
    webdriver: typeof webdriver === 'boolean' ? webdriver : null,
    userAgent: clip(browser.userAgent, LIMITS.userAgentChars),
    platform: clip(browser.platform),
  };
};
