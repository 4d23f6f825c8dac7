import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';
import { Programs } from '../src/challenge/program/programs.ts';
import { buildPrograms, loadBrowserBundle } from './build.ts';
import { servedPages, SECRETS, type Site, startSite } from './testing/test-site.ts';

let site: Site;
let browser: Browser;

beforeAll(async () => {
  site = await startSite();
  browser = await launchPlain();
});

afterAll(async () => {
  await browser.close();
  site.server.closeAllConnections();
  site.server.close();
});

async function programsOfAnHour() {
  let building: Promise<unknown> = Promise.resolve();
  const programs = new Programs({
    secrets: SECRETS,
    script: loadBrowserBundle().interstitial,
    clock: Date.now,
    build(disguises) {
      const scripts = buildPrograms(disguises);
      building = scripts;
      return scripts;
    },
    onFailure: (error) => {
      throw error;
    },
  });
  programs.next();
  await building;
  return [programs.next(), programs.next(), programs.next(), programs.next()];
}

test('17.3: a browser can use each page program of an hour, and its upload contains no plain names', async () => {
  const originalProgram = servedPages.program;
  const programs = await programsOfAnHour();
  expect(new Set(programs.map(({ id }) => id)).size).toBe(4);
  try {
    for (const program of programs) {
      servedPages.program = program;
      const context = await browser.newContext();
      const page = await context.newPage();
      const uploads: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/verify')) uploads.push(request.postData() ?? '');
      });
      await page.goto(site.url);
      await page.getByText('the origin').waitFor();
      expect(uploads).toHaveLength(1);
      expect(uploads[0]).not.toContain('evidence');
      await context.close();
    }
    // Guard rejects this browser, because it is driven. So the server has read each upload.
    expect(site.outcomes.map(({ kind }) => kind)).toEqual(programs.map(() => 'rejected'));
  } finally {
    servedPages.program = originalProgram;
  }
});
