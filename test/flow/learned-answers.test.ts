import { buildSync } from 'esbuild';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  siteClock,
  SECRETS,
  startSite,
  type Site,
} from '../../validator/browser/testing/test-site.ts';
import {
  valueOfReading,
  type Readings,
  type ReadingValue,
  Upload,
} from '../../validator/page-contract/evidence.ts';
import { createQuestionPool } from '../../validator/src/challenge/learned/question-pool.ts';
import { answerTicket } from '../../validator/src/challenge/testing/answers.ts';
import { readFixture } from '../../validator/src/challenge/testing/challenged-visitor.ts';
import { readTicket } from '../../validator/src/challenge/tickets/ticket.ts';
import { createSealer } from '../../validator/src/session/sealer.ts';
import {
  type DeskBrowser,
  type DeskSettings,
  deskChromium,
  firefoxWith,
} from '../kit/browsers/desk-browsers.ts';
import { poll } from '../kit/http.ts';
import { launchPlain } from '../kit/browsers/plain-chromium.ts';
import { type Relay, startRelay } from '../kit/peers/relay.ts';
import { hasDesk, hasFirefox, hasWindowedChromium } from '../kit/tools.ts';
import { useDesk } from '../kit/browsers/use-desk.ts';

/**
 * In these tests Guard learns from visitors how a browser engine answers, and finds another engine that claims the same
 * name.
 */

/** Each page asks five of twelve questions. Guard needs answers from sixteen networks for each question. */
const NETWORKS = 70;
/**
 * The number of challenge pages that Firefox answers after one start, because a start takes longer than a page. It
 * passes on the last page.
 */
const PAGES = 3;
/** Maximum number of starts of the Firefox that pretends to be Chromium. */
const STARTS = 4;

const RECORDED_UPLOAD = readFixture('human/chromium-headful-xvfb-default-screen.json');
const CHROMIUM_AGENT = RECORDED_UPLOAD.headers['user-agent'] ?? '';

const [PROGRAM] = buildSync({
  stdin: {
    contents: `import { answers } from './answers.ts'; window.answerPage = (html) => {
      const page = new DOMParser().parseFromString(html, 'text/html');
      return answers(page.querySelector('[data-questions]').dataset);
    };`,
    resolveDir: join(import.meta.dirname, '../../validator/browser/page/sources'),
    loader: 'ts',
  },
  bundle: true,
  write: false,
}).outputFiles;

interface Asking {
  /** Answers the questions of a challenge page in this browser. */
  readonly answerPage: (html: string) => ReadingValue<'answers'>;
}

let browser: Browser;
let site: Site;
let relay: Relay;
const uploads: Upload[] = [];
beforeAll(async () => {
  [browser, site] = await Promise.all([launchPlain(), startSite()]);
  relay = await startRelay(site.url, ({ url, body }) => {
    if (url === '/.guard/verify') uploads.push(Upload.parse(JSON.parse(body.toString())));
  });
});
afterAll(async () => {
  await relay.close();
  await browser.close();
  site.server.closeAllConnections();
  site.server.close();
});

type Answer = readonly [question: string, hash: number | null | undefined];

/** Uploads recorded evidence of Chromium for this ticket, with the given answers. */
async function send(ip: string, ticket: string, session: string, answers: Readings['answers']) {
  const evidence = answerTicket(RECORDED_UPLOAD.evidence, ticket);
  const readings = { ...evidence.readings, answers };
  site.ip = ip;
  await fetch(`${site.url}/.guard/verify`, {
    method: 'POST',
    headers: {
      ...RECORDED_UPLOAD.headers,
      cookie: `_guard=${session}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ticket, session, evidence: { ...evidence, readings } }),
  });
  return site.outcomes.findLast((outcome) => outcome.ip === ip);
}

/** Makes a visit from a new network. A real Chromium answers the questions of the page. */
async function visitFrom(ip: string, page: Page) {
  const { headers } = RECORDED_UPLOAD;
  const response = await fetch(`${site.url}/`, { headers });
  const html = await response.text();
  const session = /_guard=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const ticket = /data-ticket="([^"]+)"/.exec(html)?.[1] ?? '';
  const value = await page.evaluate(
    (challenge) => (globalThis as unknown as Asking).answerPage(challenge),
    html,
  );
  return send(ip, ticket, session, { value });
}

describe.skipIf(!hasDesk || !hasFirefox || !hasWindowedChromium)('at a desk', () => {
  const { open } = useDesk();
  const pool = createQuestionPool(SECRETS);
  const answersOfFirefox: Answer[] = [];

  /** Starts a browser, waits until it has uploaded for this number of pages, and returns the uploads. */
  async function uploadsOf(desk: DeskBrowser, pages: number): Promise<readonly Upload[]> {
    const countBefore = uploads.length;
    await open(desk, { urls: [`http://127.0.0.1:${relay.port}/`] });
    return poll(
      () => Promise.resolve(uploads.slice(countBefore)),
      (found) => found.length >= pages,
    );
  }

  /** Answers this number of uploads with "retry" and without a session, so that the page reloads. */
  function reloadFor(pages: number): void {
    let pagesLeft = pages;
    site.intercept = (response) => {
      pagesLeft -= 1;
      if (pagesLeft <= 0) site.intercept = undefined;
      response.setHeader('set-cookie', '_guard=; Path=/; Max-Age=0');
      response.end('{"result":"retry"}');
    };
  }

  /** Makes a visit. Returns its outcome, and the answers to the questions of all its pages. */
  async function visitOf(desk: DeskBrowser, ip: string, pages = PAGES) {
    const countBefore = site.outcomes.length;
    site.ip = ip;
    if (pages > 1) reloadFor(pages - 1);
    const answeredUploads = await uploadsOf(desk, pages);
    const [outcome] = await poll(
      () => Promise.resolve(site.outcomes.slice(countBefore)),
      (found) => found.length > 0,
    );
    const noted = outcome?.kind === 'verified' ? outcome.noted : undefined;
    return { kind: outcome?.kind, noted, answers: answeredUploads.flatMap(answersIn) };
  }

  /** The answers to the questions of one page. */
  function answersIn({ ticket, evidence }: Upload): readonly Answer[] {
    const reading = readTicket(createSealer(SECRETS, 'ticket'), ticket, siteClock());
    const answersRead = valueOfReading(evidence.readings.answers);
    if (!('ticket' in reading) || !answersRead)
      throw new Error('the upload has no ticket of Guard, or no answers');
    const { id, issuedAt } = reading.ticket;
    const questions = pool.read(id, issuedAt, answersRead.asked) ?? [];
    return questions.map((question, at) => [question, answersRead.hashes[at]]);
  }

  const firefox = (preferences: DeskSettings['preferences'] = {}) => firefoxWith({ preferences });

  test('answers_rare is found for Firefox under the name of Chromium, and not for Chromium itself', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.url}/form`);
    await page.evaluate(PROGRAM?.text ?? '');
    for (let network = 0; network < NETWORKS; network++) {
      const outcome = await visitFrom(`10.0.${network}.1`, page);
      expect(outcome).toMatchObject({ kind: 'verified', reasons: [], noted: [] });
    }

    const ownVisit = await visitOf(deskChromium, '203.0.113.1', 1);
    expect(ownVisit.kind).toBe('verified');
    expect(ownVisit.noted).not.toContain('answers_rare');
    const honest = await visitOf(firefox(), '203.0.113.2');
    expect(honest).toMatchObject({ kind: 'verified', noted: [] });
    answersOfFirefox.push(...honest.answers);
    // This Firefox does not have all readings of Chromium. A program could add these readings, but its answers are
    // still those of Firefox.
    const pretending = firefox({ 'general.useragent.override': CHROMIUM_AGENT });
    // Each page has random questions. A few pages have too few questions to which Firefox gives another answer than
    // Chromium.
    const notedReasons: unknown[] = [];
    for (let start = 1; start <= STARTS && notedReasons.length === 0; start++) {
      reloadFor(PAGES);
      const answeredUploads = await uploadsOf(pretending, PAGES);
      for (const [at, { ticket, session, evidence }] of answeredUploads.entries()) {
        const ip = `203.0.114.${start * PAGES + at}`;
        const outcome = await send(ip, ticket, session, evidence.readings.answers);
        if (outcome?.kind !== 'verified')
          throw new Error('the visit with the evidence of Chromium did not pass');
        notedReasons.push(...outcome.noted);
      }
    }
    expect(new Set(notedReasons)).toEqual(new Set(['answers_rare']));
  }, 180_000);

  test('Firefox gives the same answers with each setting that people use', async () => {
    const settings: readonly DeskSettings['preferences'][] = [
      { 'privacy.resistFingerprinting': true, 'privacy.resistFingerprinting.letterboxing': true },
      {
        ...{ 'intl.accept_languages': 'de', 'ui.systemUsesDarkTheme': 1, 'webgl.disabled': true },
        ...{ 'layout.css.devPixelsPerPx': '1.3', 'font.minimum-size.x-western': 24 },
      },
    ];
    for (const [at, preferences] of settings.entries()) {
      const { answers, kind } = await visitOf(firefox(preferences), `198.51.100.${at}`);
      expect(kind).toBe('verified');
      answersOfFirefox.push(...answers);
    }
    const firstAnswers = new Map<string, Answer[1]>();
    let comparedCount = 0;
    for (const [question, answer] of answersOfFirefox) {
      if (question.startsWith('w')) continue;
      expect(answer).not.toBeNull();
      if (firstAnswers.has(question)) comparedCount += 1;
      expect(answer, question).toBe(firstAnswers.get(question) ?? answer);
      firstAnswers.set(question, answer);
    }
    expect(comparedCount).toBeGreaterThan(15);
  }, 180_000);
});
