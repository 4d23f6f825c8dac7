import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/**
 * A driven headless Chromium with the web's own rules in force, such as CORS and a process for each
 * site. driven-chromium.ts starts it with what containers are advised to, which switches these off.
 */
export async function launchPlain(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
    headless: true,
  });
}
