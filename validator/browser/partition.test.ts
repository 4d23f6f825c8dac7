import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { Upload } from '../page-contract/evidence.ts';
import { startSite } from './testing/test-site.ts';

async function launch(args: readonly string[] = []) {
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: ['--no-sandbox', '--disable-background-networking', ...args],
  });
}

/** The reading `partition` of a challenge page, in a browser with these additional switches. */
async function partitionReading(args: readonly string[], block?: string) {
  const browser = await launch(args);
  const site = await startSite();
  const page = await browser.newPage();
  if (block !== undefined) await page.route(block, (route) => route.abort());
  const uploadRequest = page.waitForRequest((request) => request.url().endsWith('/.guard/verify'));
  await page.goto(`${site.url}/`);
  const { evidence } = Upload.parse(JSON.parse((await uploadRequest).postData() ?? ''));
  await browser.close();
  site.server.closeAllConnections();
  site.server.close();
  return evidence.readings.partition;
}

test('a message from a frame of another site arrives when the driver has turned partitions off, as it does by default', async () => {
  expect(await partitionReading([])).toEqual({ value: { crossed: true } });
});

test('no message arrives when the browser partitions frames of other sites', async () => {
  // Chromium uses the last switch with a name, so this switch replaces the driver's.
  const reading = await partitionReading(['--disable-features=Translate']);
  expect(reading).toEqual({ value: { crossed: false } });
});

test('frames that do not load in time give no reading, and delay no visitor', async () => {
  expect(await partitionReading([], '**/.guard/echo')).toEqual({ unread: 'failed' });
});

/**
 * Opens the echo page in foreign frames with three channel names, and collects all messages that reach the page. Only
 * the last name has the form that the challenge page uses. Its message shows that all frames have run.
 */
const FRAMED = `async (echo) => {
  const received = [];
  const logout = new BroadcastChannel('logout');
  logout.onmessage = ({ data }) => received.push('on the channel: ' + data);
  const isDone = new Promise((resolve) => {
    addEventListener('message', ({ data, origin }) => {
      if (origin === location.origin) received.push(data);
      if (data === 'guard-0.5') resolve();
    });
  });
  for (const name of ['logout', 'guard-logout', 'guard-0.5']) {
    const frame = document.createElement('iframe');
    frame.src = 'data:text/html,' + encodeURIComponent('<iframe src="' + echo + '#' + name + '">');
    const hasLoaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    document.body.append(frame);
    await hasLoaded;
  }
  await isDone;
  return received;
}`;

test('a foreign frame cannot use the echo page to send messages in the name of the site', async () => {
  const browser = await launch();
  const site = await startSite();
  const page = await browser.newPage();
  await page.goto(`${site.url}/form`);
  const received = await page.evaluate(`(${FRAMED})('${site.url}/.guard/echo')`);
  await browser.close();
  site.server.closeAllConnections();
  site.server.close();
  expect(received).toEqual(['guard-0.5']);
});
