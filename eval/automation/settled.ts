import { setTimeout as wait } from 'node:timers/promises';
import { ORIGIN_TITLE } from './site.ts';
import type { Ending } from './tool.ts';

/** Title of the challenge page while it works; every other page and screen is an end. */
const CHECKING_TITLE = 'Checking your browser';

/** A page that still checks by then is a screen, too: its visitor did not get through. */
const DEADLINE_MS = 20_000;
const INTERVAL_MS = 150;
/**
 * Until then nothing is read. Reading goes through the driver and into the page; what gives a tool
 * away is to be the tool, and not how often it is asked here.
 */
const QUIET_MS = 3_000;

/**
 * Asks for the page's title until the visit has ended, after a quiet time in milliseconds. `undefined` or a rejection
 * means that there is no page to ask at the moment, as in the middle of a reload.
 */
export async function settled(
  readTitle: () => Promise<string | undefined>,
  quietMs = QUIET_MS,
): Promise<Ending> {
  const until = Date.now() + DEADLINE_MS;
  await wait(quietMs);
  while (Date.now() < until) {
    const late = wait(until - Date.now(), undefined, { ref: false });
    const title = await Promise.race([readTitle().catch(() => undefined), late]);
    if (title === ORIGIN_TITLE) return 'origin';
    if (title !== undefined && title !== '' && title !== CHECKING_TITLE) return 'screen';
    await wait(INTERVAL_MS);
  }
  return 'screen';
}
