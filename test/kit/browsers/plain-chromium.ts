import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/**
 * A driven Chromium with the normal rules of the web, such as CORS and a process for each site, and without requests to
 * its vendor. In a closed network such requests take minutes. driven-chromium.ts uses the usual flags for containers,
 * which switch the normal rules off.
 */
export async function launchPlain(): Promise<Browser> {
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--disable-quic',
      '--disable-sync',
    ],
  });
}
