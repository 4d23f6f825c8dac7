import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { Upload } from '../page-contract/evidence.ts';
import { startSite } from './testing/test-site.ts';

/** What the challenge page reads of partitions, in a browser that was started with these switches too. */
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

test('a frame of another site is heard where the driver turned partitions off, as it does by default', async () => {
  expect(await partitionRead([])).toEqual({ value: { crossed: true } });
});

test('it is not heard where the browser keeps such frames apart', async () => {
  // The last switch of a name counts: this one takes back what the driver's turns off.
  const read = await partitionRead(['--disable-features=Translate']);
  expect(read).toEqual({ value: { crossed: false } });
});

test('frames that do not load in time are no reading, and delay no visitor', async () => {
  expect(await partitionRead([], '**/.guard/echo')).toEqual({ unread: 'failed' });
});
