import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/**
 * A driven Chromium with the normal rules of the web, such as CORS and a process for each site, and without requests to
 * its vendor, which take minutes in a closed network. driven-chromium.ts uses the usual flags for containers, which
 * switch these rules off.
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
