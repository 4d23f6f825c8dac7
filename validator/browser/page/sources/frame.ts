import { clip, finite } from '../clip.ts';
import { LIMITS } from '../limits.ts';
import type { Source } from '../source.ts';

/** The browser as an empty frame of this page sees it. */
export const frame: Source<'frame'> = ({ inside }) => {
  if (!inside) return undefined;
  const { navigator: browser } = inside;
  const webdriver: unknown = browser.webdriver;
  const plugins: { readonly length: number } = browser.plugins;
  return {
    webdriver: typeof webdriver === 'boolean' ? webdriver : null,
    userAgent: clip(browser.userAgent, LIMITS.userAgentChars),
    platform: clip(browser.platform),
    chrome: 'chrome' in inside,
    plugins: finite(plugins.length),
  };
};
