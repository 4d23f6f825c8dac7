import { openAtDesk } from '../../../test/kit/desk.ts';
import type { DeskBrowser } from '../../../test/kit/desk-browsers.ts';
import { settled } from '../settled.ts';
import type { Ending, Place } from '../tool.ts';

/** Opens the browser, types the address, presses Enter, moves the mouse, and reads the title bar. */
export async function visitAtDesk(
  browser: DeskBrowser,
  url: string,
  place: Place,
): Promise<Ending> {
  const desk = await openAtDesk(browser, place);
  try {
    await desk.goTo(url);
    await desk.moveMouse(420, 380);
    return await settled(() => desk.title());
  } finally {
    await desk.close();
  }
}
