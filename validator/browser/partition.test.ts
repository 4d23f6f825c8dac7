import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { Upload } from '../page-contract/evidence.ts';
import { startSite } from './testing/test-site.ts';

/** The reading of partitions of the challenge page, in a browser with these additional switches. */
async function partitionRead(args: readonly string[], block?: string) {
  const browser = await chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: ['--no-sandbox', '--disable-background-networking', ...args],
  });
  const site = await startSite();
  const page = await browser.newPage();
  if (block !== undefined) await page.route(block, (route) => route.abort());
  const sent = page.waitForRequest((request) => request.url().endsWith('/.guard/verify'));
  await page.goto(`${site.url}/`);
  const { evidence } = Upload.parse(JSON.parse((await sent).postData() ?? ''));
  await browser.close();
  site.server.closeAllConnections();
  site.server.close();
  return evidence.readings.partition;
}

test('a message from a frame of another site arrives when the driver turned partitions off, its default', async () => {
  expect(await partitionRead([])).toEqual({ value: { crossed: true } });
});

test('no message arrives when the browser partitions such frames', async () => {
  // The last switch with a name counts, so this switch replaces the driver's.
  const read = await partitionRead(['--disable-features=Translate']);
  expect(read).toEqual({ value: { crossed: false } });
});

test('frames that do not load in time give no reading, and delay no visitor', async () => {
  expect(await partitionRead([], '**/.guard/echo')).toEqual({ unread: 'failed' });
});
