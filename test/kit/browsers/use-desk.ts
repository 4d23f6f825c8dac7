import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Desk, openAtDesk } from './desk.ts';
import type { DeskBrowser } from './desk-browsers.ts';
import { type Display, startDisplay } from './virtual-display.ts';

export interface SharedDesk {
  /** Opens the browser with a new profile. */
  readonly open: (
    browser: DeskBrowser,
    options?: Parameters<typeof openAtDesk>[2],
  ) => Promise<Desk>;
}

/**
 * Starts a screen for the calling suite. Each browser that `open` starts has a new profile, and is closed after the
 * test.
 */
export function useDesk(): SharedDesk {
  let display: Display;
  const cleanups: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    display = await startDisplay();
  });
  afterAll(() => display.close());
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  });
  return {
    open: async (browser, options) => {
      const profile = await mkdtemp(join(tmpdir(), 'guard-desk-'));
      // Browsers still write files for a moment after their main process has ended.
      cleanups.push(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }));
      const desk = await openAtDesk(browser, { profile, display: display.name }, options);
      cleanups.push(() => desk.close());
      return desk;
    },
  };
}
