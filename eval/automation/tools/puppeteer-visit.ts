import { CHROMIUM, disguiseFlags, DISGUISE_SCRIPT } from '../chromium-setup.ts';
import { CHROMIUM_FLAGS } from '../../../test/kit/browsers/chromium-flags.ts';
import { freePort } from '../../../test/kit/free-port.ts';
import { waitForEnding } from '../wait-for-ending.ts';
import { environmentOn, type Setup } from '../setups.ts';
import type { Visit } from '../tool.ts';

/** The functions of puppeteer and its derivatives that a visit needs. */
export interface PuppeteerChromium {
  launch(options: {
    readonly executablePath: string;
    readonly headless: boolean;
    readonly userDataDir: string;
    readonly args: string[];
    readonly ignoreDefaultArgs?: string[] | true;
    readonly defaultViewport?: null;
    readonly env: Record<string, string>;
  }): Promise<{
    newPage(): Promise<{
      evaluateOnNewDocument(script: string): Promise<unknown>;
      goto(url: string): Promise<unknown>;
      title(): Promise<string>;
    }>;
    close(): Promise<void>;
  }>;
}

/**
 * Makes a visit with this variant of puppeteer. A disguised variant has no automation switch and no emulated viewport.
 */
export function puppeteerVisit(
  puppeteer: PuppeteerChromium,
  { headless, disguise, readsAtOnce = false }: Setup,
): Visit {
  const hasOwnSwitches = disguise === 'own switches';
  const hasDisguiseFlags = disguise !== 'none' && !hasOwnSwitches;
  return async (url, resources) => {
    const browser = await puppeteer.launch({
      executablePath: CHROMIUM,
      headless,
      userDataDir: resources.profile,
      args: [
        ...CHROMIUM_FLAGS,
        ...(hasDisguiseFlags ? disguiseFlags() : []),
        ...(hasOwnSwitches ? await ownSwitches(resources.profile) : []),
      ],
      ...(hasDisguiseFlags
        ? { ignoreDefaultArgs: ['--enable-automation'], defaultViewport: null }
        : {}),
      ...(hasOwnSwitches ? { ignoreDefaultArgs: true, defaultViewport: null } : {}),
      env: environmentOn(resources),
    });
    try {
      const page = await browser.newPage();
      if (disguise === 'flags and script') await page.evaluateOnNewDocument(DISGUISE_SCRIPT);
      await page.goto(url);
      return await waitForEnding(() => page.title(), readsAtOnce ? 0 : undefined);
    } finally {
      await browser.close();
    }
  };
}

/**
 * The switches that replace the switches of puppeteer: the profile, and a debugging port. This function chooses the
 * port, and not the browser.
 */
async function ownSwitches(profile: string): Promise<string[]> {
  return [`--user-data-dir=${profile}`, `--remote-debugging-port=${await freePort()}`];
}
