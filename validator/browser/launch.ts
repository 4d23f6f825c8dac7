import sparticuz from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

/** A Chromium under a driver, which does not call home. That it is found out is no concern of a page. */
export async function launchChromium(): Promise<Browser> {
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
