import { buildSync } from 'esbuild';
import { Window as HappyWindow } from 'happy-dom';
import { JSDOM } from 'jsdom';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';
import { createQuestionPool } from '../src/challenge/learned/question-pool.ts';
import { valueOfReading, type ReadingValue, Upload } from '../page-contract/evidence.ts';
import { newTicketId } from '../src/challenge/tickets/ticket.ts';
import { SECRETS, type Site, startSite } from './testing/test-site.ts';

/** Only the code of this reading, bundled as a global function. */
const [PROGRAM] = buildSync({
  stdin: {
    contents: `import { answers } from './page/sources/answers.ts'; window.answer = (questions) => answers({ questions });`,
    resolveDir: join(import.meta.dirname),
    loader: 'ts',
  },
  bundle: true,
  write: false,
}).outputFiles;
const program = PROGRAM?.text ?? '';

type Reading = ReadingValue<'answers'>;
interface WindowWithAnswer {
  readonly answer: (questions: string) => Reading;
}

/** All questions that the pool uses at two times, one lifetime of a question apart. */
const QUESTIONS = (() => {
  const pool = createQuestionPool(SECRETS);
  const atMs = [1_800_000_000_000, 1_800_000_000_000 + 6 * 3_600_000];
  const issuedQuestions = atMs.flatMap((ms) =>
    Array.from({ length: 300 }, () => pool.issue(newTicketId(), ms).split('~')).flat(),
  );
  return [...new Set(issuedQuestions)];
})();
const ASKED = QUESTIONS.join('~');

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

/** The answers of a new profile to all questions. Checks that the console and the document are unchanged. */
async function answersOf(options: BrowserContextOptions = {}): Promise<Reading['hashes']> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(`${site.url}/form`);
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  await page.evaluate(program);
  const { hashes } = await page.evaluate(
    (asked) => (globalThis as unknown as WindowWithAnswer).answer(asked),
    ASKED,
  );
  expect(await page.evaluate('document.documentElement.children.length')).toBe(2);
  expect(messages).toEqual([]);
  await context.close();
  return hashes;
}

/**
 * The questions whose answers differ. Questions about text widths are left out, because these depend on fonts and
 * screens.
 */
function differentQuestions(
  first: Reading['hashes'],
  second: Reading['hashes'],
): readonly string[] {
  return QUESTIONS.filter((question, at) => question[0] !== 'w' && first[at] !== second[at]);
}

describe('17.3 questions that are learned: Chromium', () => {
  test('two profiles give the same answers, and profiles with other settings give them too', async () => {
    expect(QUESTIONS).toHaveLength(24);
    const firstAnswers = await answersOf();
    expect(firstAnswers).not.toContain(null);
    expect(new Set(firstAnswers).size).toBeGreaterThan(20);
    expect(await answersOf()).toEqual(firstAnswers);
    const settings: readonly BrowserContextOptions[] = [
      { locale: 'de-DE', timezoneId: 'Asia/Tokyo' },
      { deviceScaleFactor: 1.25, colorScheme: 'dark', reducedMotion: 'reduce' },
      {
        viewport: { width: 360, height: 640 },
        isMobile: true,
        hasTouch: true,
        deviceScaleFactor: 3,
      },
      { forcedColors: 'active', offline: false },
    ];
    for (const options of settings) {
      expect(
        differentQuestions(await answersOf(options), firstAnswers),
        JSON.stringify(options),
      ).toEqual([]);
    }
  });

  test('the challenge page answers all questions', async () => {
    const page = await browser.newPage();
    const uploadRequest = page.waitForRequest((request) =>
      request.url().endsWith('/.guard/verify'),
    );
    await page.goto(`${site.url}/`);
    const { evidence } = Upload.parse(JSON.parse((await uploadRequest).postData() ?? ''));
    expect(valueOfReading(evidence.readings.answers)?.hashes).toEqual(
      Array(5).fill(expect.any(Number)),
    );

    await page.close();
  });
});

describe('17.3 questions that are learned: programs without an engine', () => {
  test('jsdom and happy-dom answer hardly any question like Chromium', async () => {
    const firstAnswers = await answersOf();
    const sameAnswers = (hashes: Reading['hashes']) =>
      QUESTIONS.filter((_, at) => hashes[at] !== null && hashes[at] === firstAnswers[at]);

    const { window } = new JSDOM('', { runScripts: 'dangerously' });
    const jsdomWindow = window as unknown as WindowWithAnswer & { eval(text: string): void };
    jsdomWindow.eval(program);
    expect(sameAnswers(jsdomWindow.answer(ASKED).hashes).length).toBeLessThan(3);
    window.close();

    const happyWindow = new HappyWindow({
      settings: {
        enableJavaScriptEvaluation: true,
        suppressInsecureJavaScriptEnvironmentWarning: true,
      },
    });
    const { hashes } = happyWindow.eval(`${program};answer(${JSON.stringify(ASKED)})`) as Reading;
    expect(hashes).toHaveLength(QUESTIONS.length);
    expect(sameAnswers(hashes).length).toBeLessThan(3);
    await happyWindow.happyDOM.abort();
  });
});
