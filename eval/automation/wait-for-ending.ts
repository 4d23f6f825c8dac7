import { setTimeout as wait } from 'node:timers/promises';
import { ORIGIN_PAGE } from '../../test/kit/origins/recording-origin.ts';
import type { Ending } from './tool.ts';

export const ORIGIN_TITLE = /<title>(.*?)<\/title>/.exec(ORIGIN_PAGE)?.[1] ?? '';
/** The title of the challenge page while it works. Every other page ends the visit. */
const CHECKING_TITLE = 'Checking your browser';

/** A visit that is still on the checking page after this time has ended there. */
const DEADLINE_MS = 20_000;
const INTERVAL_MS = 150;
/**
 * Before this time, the title is not read. Guard can detect that the title is read, and the eval measures the tool and
 * not this reading.
 */
const QUIET_MS = 3_000;

/**
 * Reads the page's title until the visit has ended, first after `quietMs`. `readTitle` resolves with undefined or
 * rejects while there is no page, for example during a reload.
 */
export async function waitForEnding(
  readTitle: () => Promise<string | undefined>,
  quietMs = QUIET_MS,
): Promise<Ending> {
  const endMs = Date.now() + DEADLINE_MS;
  await wait(quietMs);
  while (Date.now() < endMs) {
    const timeout = wait(endMs - Date.now(), undefined, { ref: false });
    const title = await Promise.race([readTitle().catch(() => undefined), timeout]);
    if (title === ORIGIN_TITLE) return 'origin';
    if (title !== undefined && title !== '' && title !== CHECKING_TITLE) return 'screen';
    await wait(INTERVAL_MS);
  }
  return 'screen';
}
