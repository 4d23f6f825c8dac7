import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contextOptionsFor } from '../kit/browsers/driven-chromium.ts';
import { poll } from '../kit/http.ts';
import { launchPlain } from '../kit/browsers/plain-chromium.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { hasWindowedChromium } from '../kit/tools.ts';
import { openInWindow } from '../kit/browsers/windowed-chromium.ts';
import { type ScriptSite, startScriptSite } from '../spec/script-site.ts';

/**
 * With the browser script people see no challenge, because the upload of the script is judged like the upload of a
 * challenge page. The unprotected pages of this site lead to a page below `/vault`, where a rule requires a passed
 * challenge.
 */

let site: ScriptSite;
beforeAll(async () => {
  site = await startScriptSite();
});
afterAll(() => site.close());

interface EventRow {
  readonly action: string;
  readonly challenge: string;
  readonly block_reasons: string[];
}

/** Waits until a path has events, and returns them, oldest first. */
function decisions(path: string): Promise<EventRow[]> {
  const statement = `SELECT action, challenge, block_reasons FROM events_distributed
    WHERE created_at > now() - INTERVAL 1 HOUR AND path = '${path}' ORDER BY created_at`;
  return poll(
    () => rowsOf<EventRow>(site.product, statement),
    (rows) => rows.length > 0,
  );
}

describe.skipIf(!hasWindowedChromium)('a person who has loaded a page with the script', () => {
  test.each([
    ['a plain page', '/plain', '/vault/plain'],
    ['a page whose styles and scripts change built-in objects', '/crowded', '/vault/crowded'],
    ['two pages, which are judged separately', '/first', '/vault/second'],
  ])('sees no challenge on the first protected page: %s', async (_what, open, vault) => {
    const browser = await openInWindow(site.url + open);
    try {
      const rows = await decisions(vault);
      expect(rows).toMatchObject([{ action: 'allow', challenge: 'verified', block_reasons: [] }]);
    } finally {
      await browser.close();
    }
  });
});

describe.skipIf(!hasWindowedChromium)('the back/forward cache', () => {
  test('keeps a page in which the script ran, and restores it', async () => {
    const browser = await openInWindow(`${site.url}/there-and-back`);
    try {
      const report = await poll(
        () => Promise.resolve(site.arrivals.find(({ url }) => url.startsWith('/report?'))?.url),
        (url) => url !== undefined,
      );
      expect(JSON.parse(decodeURIComponent(report?.slice('/report?'.length) ?? ''))).toEqual({
        persisted: true,
        initialized: true,
        events: 1,
        notRestoredReasons: null,
      });
    } finally {
      await browser.close();
    }
  });
});

describe('a driven browser that has loaded a page with the script', () => {
  test('is blocked on the first protected page, with the reason webdriver', async () => {
    const browser = await launchPlain();
    try {
      const page = await (await browser.newContext(contextOptionsFor(browser))).newPage();
      const vault = page.waitForResponse('**/vault/driven');
      await page.goto(`${site.url}/driven`);
      expect((await vault).status()).toBe(403);
      const [row] = await decisions('/vault/driven');
      expect(row).toMatchObject({ action: 'block', challenge: 'rejected' });
      expect(row?.block_reasons).toContain('webdriver');
    } finally {
      await browser.close();
    }
  });
});
