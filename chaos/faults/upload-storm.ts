import {
  BROWSER_HEADERS,
  type ChallengePage,
  navigate,
  PASSED_ANSWER,
  passChallenge,
  readChallenge,
  sendUpload,
} from '../../test/kit/browsers/challenged-browser.ts';
import { type Answer, send } from '../../test/kit/http.ts';
import { HOME_IP } from '../../test/kit/visitors/visitors.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import { answerTo } from '../origin.ts';
import { CHALLENGE_ALL_RULES } from '../settings.ts';
import { startSite } from '../site.ts';

const BROWSERS = 150;
const TABS = 4;
/** Each page is uploaded twice at once, as when a network repeats a request. */
const COPIES = 2;
const OFFICE_TABS = 400;
const OFFICE_IP = '203.0.113.200';

export const uploadStorm: Fault = {
  done: `${BROWSERS} browsers restore ${TABS} tabs each, and every tab uploads ${COPIES} times at once; then ${OFFICE_TABS} tabs of one address; then as much garbage`,
  async inflict(trial) {
    const site = await startSite(trial, { rules: CHALLENGE_ALL_RULES });
    const { url } = site;
    const session = await passChallenge(url, HOME_IP);
    const crowd = site.startCrowd({ headers: { ...BROWSER_HEADERS, cookie: `_guard=${session}` } });
    await crowd.seeMore(200);

    trial.say('tabs are restored');
    const browsers = await inSteps(BROWSERS, 25, (number) => restore(url, number));
    const passedCount = browsers.filter(({ isLetIn }) => isLetIn).length;
    const passedTwice = browsers
      .flatMap(({ passedOfTab }) => passedOfTab)
      .filter((n) => n > 1).length;

    trial.say('an office comes');
    const office = await inSteps(OFFICE_TABS, 50, () => uploadOnce(url, OFFICE_IP));
    trial.say('garbage comes');
    const garbage = await inSteps(OFFICE_TABS, 50, (number) => sendGarbage(url, number));
    await crowd.seeMore(200);
    const traffic = await crowd.leave();
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'a visitor who passed gets right answers'),
      {
        what: 'every browser passes',
        seen: `${passedCount} of ${BROWSERS}`,
        holds: passedCount === BROWSERS,
      },
      {
        what: 'no page passes twice',
        seen: `${passedTwice} of ${BROWSERS * TABS}`,
        holds: passedTwice === 0,
      },
      {
        what: '120 uploads of one address are accepted in a minute, most of them for work; the others have to wait',
        seen: statuses(office),
        holds: isLimited(office),
      },
      {
        what: 'garbage neither passes nor causes an error',
        seen: statuses(garbage),
        holds: garbage.every(({ status, body }) => status < 500 && body !== PASSED_ANSWER),
      },
    ]);
  },
};

interface Restored {
  /** How often the page of each tab passed. */
  readonly passedOfTab: readonly number[];
  /** Whether the browser gets the site afterwards. */
  readonly isLetIn: boolean;
}

/** One browser. All tabs have the same session, get a challenge page, and upload at once. */
async function restore(url: string, number: number): Promise<Restored> {
  const ip = `198.18.${number}.7`;
  const firstTicket = readChallenge(await navigate(url, '/', { ip }));
  if (firstTicket === undefined) throw new Error('a stranger was not challenged');
  const { session } = firstTicket;
  const otherAnswers = await Promise.all(
    Array.from({ length: TABS - 1 }, (_, tab) => navigate(url, `/tab/${tab}`, { ip, session })),
  );
  const pages = [firstTicket, ...otherAnswers.map((answer) => readChallenge(answer, session))];
  const passedOfTab = await Promise.all(pages.map((page) => uploadCopies(url, page, ip)));
  const { body } = await navigate(url, '/restored', { ip, session });
  return { passedOfTab, isLetIn: body === answerTo('/restored') };
}

async function uploadCopies(
  url: string,
  page: ChallengePage | undefined,
  ip: string,
): Promise<number> {
  if (page === undefined) return 0;
  const copies = Array.from({ length: COPIES }, () => sendUpload(url, page, ip));
  return (await Promise.all(copies)).filter(({ body }) => body === PASSED_ANSWER).length;
}

async function uploadOnce(url: string, ip: string): Promise<Answer> {
  const page = readChallenge(await navigate(url, '/', { ip }));
  if (page === undefined) throw new Error('a stranger was not challenged');
  return sendUpload(url, page, ip);
}

/** Sends an upload that is too large, cut off, deeply nested, or of another shape. Each has its own address. */
function sendGarbage(url: string, number: number): Promise<Answer> {
  const bodies = [
    'x'.repeat(100_000),
    '{"ticket":',
    '['.repeat(50_000),
    '{"ticket":"a","session":7}',
  ];
  return send(`${url}/.guard/verify`, {
    method: 'POST',
    headers: {
      ...BROWSER_HEADERS,
      'x-forwarded-for': `198.19.${Math.floor(number / 250)}.${number % 250}`,
      'content-type': 'application/json',
    },
    body: bodies[number % bodies.length] ?? '',
  });
}

/** Runs `count` operations, `atOnce` at a time. */
async function inSteps<T>(
  count: number,
  atOnce: number,
  act: (number: number) => Promise<T>,
): Promise<T[]> {
  const done: T[] = [];
  for (let from = 0; from < count; from += atOnce) {
    const length = Math.min(atOnce, count - from);
    done.push(...(await Promise.all(Array.from({ length }, (_, i) => act(from + i)))));
  }
  return done;
}

function isLimited(answers: readonly Answer[]): boolean {
  const acceptedAnswers = answers.filter(
    ({ body }) => body === PASSED_ANSWER || body.includes('"task"'),
  ).length;
  const refusedAnswers = answers.filter(
    ({ status, headers }) => status === 429 && headers['retry-after'] !== undefined,
  );
  return (
    acceptedAnswers >= 120 &&
    refusedAnswers.length > 0 &&
    acceptedAnswers + refusedAnswers.length === answers.length
  );
}

function statuses(answers: readonly Answer[]): string {
  const kinds = Map.groupBy(answers, ({ status, body }) =>
    body === PASSED_ANSWER ? 'passed' : status,
  );
  return [...kinds].map(([kind, same]) => `${same.length} × ${kind}`).join(', ');
}
