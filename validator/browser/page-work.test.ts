import { CHALLENGE } from '@guard/config/contract/limits';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchDriven } from '../../test/kit/driven-chromium.ts';
import { startSite } from './test-site.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchDriven();
});
afterAll(() => browser.close());

test('the page does the work its ticket asks for, also on a slow processor, and is judged like any other', async () => {
  const site = await startSite();
  site.work = CHALLENGE.work.advised;
  const context = await browser.newContext();
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  let sent: unknown;
  page.on('request', (request) => {
    if (request.method() === 'POST') sent = request.postDataJSON();
  });
  await page.goto(`${site.url}/shop`);
  await page.waitForSelector('text=the origin');
  expect(sent).toMatchObject({ work: expect.any(Number) as number });
  // Found out as driven, and not refused for its work.
  expect(site.outcomes.map(({ kind }) => kind)).toEqual(['rejected']);
  await context.close();
  site.server.closeAllConnections();
  site.server.close();
});
