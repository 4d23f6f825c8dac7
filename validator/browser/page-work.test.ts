import { expect, test } from 'vitest';
import { launchDriven } from '../../test/kit/browsers/driven-chromium.ts';
import { isWorkDone } from '../src/challenge/work/check-work.ts';
import { startSite } from './testing/test-site.ts';

const TASK = '4.AAAAAAAAAAAAAAAAAAAAAA';

/**
 * Makes a visit in which the collector asks for work once. Returns the text that the visitor saw, all uploads, and the
 * outcomes.
 */
async function visitWithWork(result: 'work' | 'doubt', prepare: string) {
  const site = await startSite();
  // Guard detects a driven browser, and never asks it for work. So the test replaces the answer of the collector.
  site.intercept = (response) => {
    site.intercept = undefined;
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ result, task: TASK }));
  };
  const browser = await launchDriven();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(prepare);
  const uploads: { work?: { task: string; counter: number } }[] = [];
  let shownText = '';
  page.on('request', (request) => {
    if (request.method() === 'POST') uploads.push(request.postDataJSON() as (typeof uploads)[0]);
  });
  await page.route('**/work.js', async (route) => {
    shownText = await page.locator('[data-screen]:visible p').innerText();
    await route.continue();
  });
  await page.goto(`${site.url}/shop`);
  await page.waitForSelector('text=the origin');
  await browser.close();
  site.server.closeAllConnections();
  site.server.close();
  return { uploads, shownText, outcomes: site.outcomes.map(({ kind }) => kind) };
}

test.each([
  ['in a worker', 'work', '', 'This site asks for a short calculation'],
  [
    'in the page when the browser has no worker',
    'doubt',
    'delete window.Worker',
    'An extension or a',
  ],
] as const)(
  'the page does the work %s, gives the reason, and sends the same upload again',
  async (_where, result, prepare, text) => {
    const { uploads, shownText, outcomes } = await visitWithWork(result, prepare);
    expect(shownText).toContain(text);
    const [first, second] = uploads;
    expect(second).toMatchObject({ ...first, work: { task: TASK } });
    expect(await isWorkDone(TASK, second?.work?.counter ?? -1, 4)).toBe(true);
    // The collector ignores a task that it did not issue, and judges the visitor as usual.
    expect(outcomes).toEqual(['rejected']);
  },
);
