import { openAtDesk } from '../../../test/kit/browsers/desk.ts';
import { deskChromium, deskFirefox } from '../../../test/kit/browsers/desk-browsers.ts';
import { waitForEnding } from '../wait-for-ending.ts';
import type { Tool } from '../tool.ts';

const BROWSERS = [
  ['Chromium', 'chromium', deskChromium],
  ['Firefox', 'firefox-esr', deskFirefox],
] as const;

/**
 * These tools act as people who open the browser, type the address, press Enter and move the mouse. The title bar shows
 * the page's title.
 */
export const personTools: readonly Tool[] = BROWSERS.map(([name, program, browser]) => ({
  name: `a person, ${name}`,
  variant: 'keyboard and mouse',
  goal: 'allowed 100 %',
  needs: { packages: [], programs: [program, 'Xvfb', 'xdotool'] },
  async visit(url, resources) {
    const desk = await openAtDesk(browser, resources);
    try {
      await desk.goTo(url);
      await desk.moveMouse(420, 380);
      return await waitForEnding(() => desk.title());
    } finally {
      await desk.close();
    }
  },
}));
