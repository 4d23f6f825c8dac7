import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium as playwright } from 'playwright-core';

/** Starts a headless Chromium from npm, driven by playwright. */
export async function launchDriven(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, '--disable-background-networking'],
    headless: true,
  });
}

/**
 * Hides the name "Headless" in the requests of the browser, because Guard would find this name before any challenge.
 * The evidence of the challenge page does not change.
 */
export function contextOptionsFor(browser: Browser): BrowserContextOptions {
  const major = browser.version().split('.', 1)[0] ?? '';
  return {
    locale: 'en-US',
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`,
    extraHTTPHeaders: {
      'sec-ch-ua': `"Chromium";v="${major}", "Not_A Brand";v="24"`,
      'sec-ch-ua-mobile': '?0',
      'sec-ch-ua-platform': '"Linux"',
    },
  };
}
