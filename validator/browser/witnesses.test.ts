import { buildSync } from 'esbuild';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';
import { rounds } from '../../test/kit/seeded-random.ts';
import { type Readings, Upload } from '../page-contract/evidence.ts';
import { WITNESSES } from '../page-contract/limits.ts';
import { readTicket } from '../src/challenge/tickets/ticket.ts';
import { judgeWitnesses } from '../src/challenge/witnesses/judge-witnesses.ts';
import { createWitnesses } from '../src/challenge/witnesses/witnesses.ts';
import { createSealer } from '../src/session/sealer.ts';
import { SECRETS, type Site, startSite } from './testing/test-site.ts';

/** Only the code of this reading, bundled as a global function. */
const [PROGRAM] = buildSync({
  stdin: {
    contents: `import { askWitnesses } from './page/witnesses.ts'; window.ask = askWitnesses;`,
    resolveDir: join(import.meta.dirname),
    loader: 'ts',
  },
  bundle: true,
  write: false,
}).outputFiles;

const witnesses = createWitnesses(SECRETS);
let browser: Browser;
let site: Site;
beforeAll(async () => {
  [browser, site] = await Promise.all([launchPlain(), startSite()]);
});
afterAll(async () => {
  await browser.close();
  site.server.closeAllConnections();
  site.server.close();
});

/** The server's finding about the measurements of a page. */
function findingOf(id: string, readings: Pick<Readings, 'witnesses'>) {
  return judgeWitnesses({ id, witnessed: true }, readings, witnesses.expected(id), site.store);
}

/** The finding about the witnesses after a visit of a browser that blocks these kinds of files. */
async function visitChallengePage(page: Page, blocked: readonly string[]) {
  await page.route('**/.guard/witness?*', (route) =>
    blocked.includes(route.request().resourceType()) ? route.abort() : route.continue(),
  );
  const uploadRequest = page.waitForRequest((request) => request.url().endsWith('/.guard/verify'));
  await page.goto(`${site.url}/`);
  const { evidence, ticket } = Upload.parse(JSON.parse((await uploadRequest).postData() ?? ''));
  const reading = readTicket(createSealer(SECRETS, 'ticket'), ticket, Date.now());
  const id = 'ticket' in reading ? reading.ticket.id : '';
  return { finding: await findingOf(id, evidence.readings), tookMs: evidence.tookMs.witnesses };
}

describe('17.3 witnesses in Chromium', () => {
  test('Chromium loads the expected files and no decoy, for any document', async () => {
    const page = await browser.newPage({
      viewport: { width: 360, height: 640 },
      deviceScaleFactor: 1.5,
    });
    await page.goto(`${site.url}/form`);
    await page.evaluate(PROGRAM?.text ?? '');
    for (let round = rounds(30, 15); round > 0; round--) {
      const id = randomBytes(12).toString('base64url');
      const measured = await page.evaluate(
        (text) => (globalThis as unknown as { ask: (text: string) => unknown }).ask(text),
        witnesses
          .issue(id, '')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"'),
      );
      const value = measured as { sizes: number[] };
      expect(await findingOf(id, { witnesses: { value } }), id).toBeUndefined();
    }
    await page.close();
  });

  test.each([
    ['nothing', []],
    ['images', ['image']],
    ['fonts', ['font']],
  ] as const)('a person who blocks %s passes the witnesses', async (_, blocked) => {
    const context = await browser.newContext();
    const { finding, tookMs } = await visitChallengePage(await context.newPage(), blocked);
    expect(finding).toBeUndefined();
    // The page does not wait for blocked files until its time limit.
    expect(tookMs).toBeLessThan(WITNESSES.waitMs);
    await context.close();
  });
});
