import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium as playwright } from 'playwright-core';

/** The automation browser that npm can bring: a headless Chromium, driven by playwright. */
export async function launchDriven(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, '--disable-background-networking'],
    headless: true,
  });
}

/**
 * What hides the words by which the headless browser names itself in its requests. Without it, it is
 * known before any challenge; what its page shows is not hidden by it.
 */
export function disguise(browser: Browser): BrowserContextOptions {
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
