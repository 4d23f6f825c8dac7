import { CHROMIUM, disguiseFlags, DISGUISE_SCRIPT } from '../chromium-setup.ts';
import { CHROMIUM_FLAGS } from '../../../test/kit/browsers/chromium-flags.ts';
import { waitForEnding } from '../wait-for-ending.ts';
import { environmentOn, type Setup } from '../setups.ts';
import type { Visit } from '../tool.ts';

/** The functions of playwright and its derivatives that a visit needs. */
export interface PlaywrightChromium {
  launchPersistentContext(
    profile: string,
    options: {
      readonly executablePath: string;
      readonly headless: boolean;
      readonly args: string[];
      readonly ignoreDefaultArgs?: string[] | true;
      readonly viewport?: null;
      readonly env: Record<string, string>;
    },
  ): Promise<{
    addInitScript(script: string): Promise<unknown>;
    newPage(): Promise<{ goto(url: string): Promise<unknown>; title(): Promise<string> }>;
    close(): Promise<void>;
  }>;
}

/** Makes a visit with this variant of playwright and this setup. */
export function playwrightVisit(
  chromium: PlaywrightChromium,
  { headless, disguise, readsAtOnce = false }: Setup,
  executablePath: () => string | Promise<string> = () => CHROMIUM,
): Visit {
  const disguised = disguise === 'flags' || disguise === 'flags and script';
  const own = disguise === 'own switches';
  return async (url, resources) => {
    const context = await chromium.launchPersistentContext(resources.profile, {
      executablePath: await executablePath(),
      headless,
      args: [
        ...CHROMIUM_FLAGS,
        ...(disguised ? disguiseFlags() : []),
        ...(own ? ownSwitches(resources.profile) : []),
      ],
      ...(disguised ? { ignoreDefaultArgs: ['--enable-automation'] } : {}),
      ...(own ? { ignoreDefaultArgs: true } : {}),
      ...(disguise === 'none' ? {} : { viewport: null }),
      env: environmentOn(resources),
    });
    try {
      if (disguise === 'flags and script') await context.addInitScript(DISGUISE_SCRIPT);
      const page = await context.newPage();
      await page.goto(url);
      return await waitForEnding(() => page.title(), readsAtOnce ? 0 : undefined);
    } finally {
      await context.close();
    }
  };
}

/** The switches in place of the defaults. They give the browser a pipe that does not set `navigator.webdriver`. */
function ownSwitches(profile: string): string[] {
  return [
    `--user-data-dir=${profile}`,
    '--remote-debugging-pipe',
    '--disable-blink-features=AutomationControlled',
  ];
}
