import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSite, type Site } from '../../validator/browser/testing/test-site.ts';
import { Upload } from '../../validator/page-contract/evidence.ts';
import { CHROMIUM_FLAGS } from '../kit/browsers/chromium-flags.ts';
import { deskFirefox } from '../kit/browsers/desk-browsers.ts';
import { poll } from '../kit/http.ts';
import { hasFirefox, hasWindowedChromium } from '../kit/tools.ts';

/**
 * These tests check the signs of a browser without a window, and of a driver, in the installed browsers. They fail when
 * a newer browser no longer shows a sign, so that we notice that a judge finds nothing.
 */

const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => {
  site.server.closeAllConnections();
  site.server.close();
});

/** Waits for the next upload, and returns its outcome. */
async function nextOutcome(countBefore: number) {
  const [outcome] = await poll(
    () => Promise.resolve(site.outcomes.slice(countBefore)),
    (found) => found.length > 0,
  );
  return outcome;
}

describe.skipIf(!hasWindowedChromium)('Chromium without a window, with another User-Agent', () => {
  test('shows its real name in a shared worker, has no pointer, and seems to be used by a person while a driver reads the page', async () => {
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      headless: false,
      args: [...CHROMIUM_FLAGS, '--headless=new', '--window-size=1366,768'],
    });
    try {
      const page = await (
        await browser.newContext({ userAgent: AGENT, viewport: null, locale: 'en-US' })
      ).newPage();
      const uploadRequest = page.waitForRequest((request) =>
        request.url().endsWith('/.guard/verify'),
      );
      // On a busy machine the page takes its readings before the load event.
      await page.goto(`${site.url}/`, { waitUntil: 'commit' });
      const uploadText = uploadRequest.then((request) => request.postData() ?? '');
      // The test reads the title again and again, as drivers do. A single read can come before the page takes its
      // readings.
      let body: string | undefined;
      while (body === undefined) {
        await page.title();
        body = await Promise.race([uploadText, sleep(20, undefined)]);
      }
      const { readings } = Upload.parse(JSON.parse(body)).evidence;
      expect(readings.worker).toMatchObject({ value: { userAgent: AGENT } });
      expect(readings.sharedWorker).toMatchObject({
        value: { userAgent: AGENT.replace('Chrome/', 'HeadlessChrome/') },
      });
      expect(readings.desktop).toMatchObject({ value: { points: false, hovers: false } });
      expect(readings.activation).toEqual({ value: { before: false, after: true, inputs: 0 } });
      const outcome = await nextOutcome(0);
      expect(outcome?.kind).toBe('rejected');
      expect(outcome?.reasons).toEqual(expect.arrayContaining(['headless_browser', 'page_driven']));
    } finally {
      await browser.close();
    }
  });
});

test.skipIf(!hasFirefox)(
  'Firefox without a window and without a driver is rejected for headless_browser and pointer_missing',
  async () => {
    const countBefore = site.outcomes.length;
    const profile = await mkdtemp(join(tmpdir(), 'guard-headless-'));
    const switches = await deskFirefox.prepare(profile);
    const child = spawn(deskFirefox.program, [...switches, '--headless', `${site.url}/`], {
      env: { ...process.env, HOME: profile },
      stdio: 'ignore',
    });
    const exit = once(child, 'exit');
    try {
      expect(await nextOutcome(countBefore)).toMatchObject({
        kind: 'rejected',
        reasons: ['headless_browser', 'pointer_missing'],
      });
    } finally {
      child.kill();
      await exit;
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  },
);
