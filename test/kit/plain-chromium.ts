import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/**
 * A Chromium under a driver, that keeps the web's own rules, such as CORS and a process for each
 * site. It does not call home, which a closed network would make it do for minutes. driven-chromium.ts
 * starts it with what containers are advised to, which switches those rules off.
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
