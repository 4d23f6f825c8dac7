import { setTimeout as sleep } from 'node:timers/promises';
import { curl } from '../visitors/visitors.ts';
import { type BalancedInstances, openBalancedInstances } from './balanced-instances.ts';
import { send } from '../http.ts';
import { ORIGIN_PAGE } from '../origins/recording-origin.ts';
import { answerAt, challengeAt, navigate, type Page } from './shared-store.ts';

const INSTANCES = 3;
/** The number of visitors who pass before the first kill. They send requests during the whole run. */
const VISITORS = 12;
/** The pause between two requests of one visitor. */
const PAUSE_MS = 40;
const LIMIT = { requests: 60, perMs: 60_000 };
/** The minimum number of requests above the budget. */
const BEYOND = 10;
const RULES = [
  {
    name: 'few',
    match: { path: '/few/**' },
    rate_limit: { requests: LIMIT.requests, per: '1m', by: ['ip'] },
    verdict: 'allow',
  },
  { name: 'everybody', match: {}, detect: true, challenge: 'always' },
];

/** The results for visitors while instances were killed. */
export interface KillReport {
  readonly kills: number;
  readonly tookMs: number;
  /** Number of requests from visitors who had passed. */
  readonly requests: number;
  /** Number of visitors who passed while instances were killed. */
  readonly passedMeanwhile: number;
  /** Number of uploads without an answer. They are sent again, as a page in a browser does. */
  readonly brokenUploads: number;
  /** Number of challenges for visitors who had already passed. */
  readonly challengedTwice: number;
  /** Wrong answers, with their requests. */
  readonly wrongAnswers: readonly string[];
  /**
   * Number of commands that Redis answered too late. In such a case an instance cannot read the sessions of another
   * instance.
   */
  readonly unanswered: number;
  /** Number of requests that HAProxy had to send again. */
  readonly retries: number;
  /** How many requests went to paths below `/few`, and how many of them reached the origin. */
  readonly limited: { readonly requests: number; readonly admitted: number };
  /** The number of requests that one instance would admit in the same time if it were never killed. */
  readonly budget: number;
}

/** The counters of a run, and whether the run is over. */
interface Run {
  readonly instances: BalancedInstances;
  isOver: boolean;
  requests: number;
  passed: number;
  brokenUploads: number;
  challengedTwice: number;
  limited: number;
  readonly wrongAnswers: string[];
}

/**
 * Starts three instances behind HAProxy that share a Redis, and kills and restarts them one after the other, `kills`
 * times in all. During that time, visitors who have passed send requests, new visitors come, and one address sends more
 * requests than its budget.
 */
export async function killInTurns(kills: number): Promise<KillReport> {
  const instances = await openBalancedInstances(INSTANCES, RULES);
  const run: Run = {
    instances,
    isOver: false,
    requests: 0,
    passed: 0,
    brokenUploads: 0,
    challengedTwice: 0,
    limited: 0,
    wrongAnswers: [],
  };
  try {
    const earlyCookies: string[] = [];
    for (let i = 0; i < VISITORS; i++) earlyCookies.push(await passChallenge(run));
    const startedAt = performance.now();
    const crowd = Promise.all([
      ...earlyCookies.map((cookie) => visitPages(run, cookie)),
      bringVisitors(run),
      exceedLimit(run, startedAt),
    ]);
    const killing = killEach(instances, kills).finally(() => (run.isOver = true));
    await Promise.allSettled([crowd, killing]);
    await Promise.all([crowd, killing]);
    const tookMs = performance.now() - startedAt;
    const admittedCount = instances.origin.arrivals.filter(({ url }) =>
      url.startsWith('/few/'),
    ).length;
    return {
      kills,
      tookMs,
      requests: run.requests,
      passedMeanwhile: run.passed - earlyCookies.length,
      brokenUploads: run.brokenUploads,
      challengedTwice: run.challengedTwice,
      wrongAnswers: run.wrongAnswers,
      unanswered: await instances.countUnanswered(),
      retries: await instances.balancer.countRetries(),
      limited: { requests: run.limited, admitted: admittedCount },
      budget: budgetIn(tookMs),
    };
  } finally {
    run.isOver = true;
    await instances.close();
  }
}

async function killEach(instances: BalancedInstances, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill++) await instances.killAndStart(kill % INSTANCES);
}

/**
 * Makes the first visit of a visitor: challenge and upload, repeated until it passes. Returns the session that passed.
 */
async function passChallenge(run: Run): Promise<string> {
  for (;;) {
    const page = await challengeAt(run.instances.balancer);
    if (await upload(run, page)) return page.session;
  }
}

async function upload(run: Run, page: Page): Promise<boolean> {
  const { status, body } = await answerAt(run.instances.balancer, page).catch(cutAnswer);
  if (body === '{"result":"reload"}') {
    run.passed += 1;
    return true;
  }
  run.brokenUploads += 1;
  // When an instance is killed before it can answer, HAProxy sends its own page or closes the connection. All other
  // answers come from Guard.
  if (status !== 502 && status !== CUT_STATUS)
    run.wrongAnswers.push(`upload: ${status} ${body.slice(0, 80)}`);
  return false;
}

const CUT_STATUS = 0;

/** The result of a request whose connection ended without an answer. */
function cutAnswer(error: Error): { readonly status: number; readonly body: string } {
  return { status: CUT_STATUS, body: error.message };
}

/** Requests pages until the end of the run, but at most this number of pages. */
async function visitPages(
  run: Run,
  cookie: string,
  pages = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let page = 0; page < pages && !run.isOver; page++) {
    const path = `/page/${run.requests++}`;
    const { status, body } = await navigate(run.instances.balancer, path, { cookie }).catch(
      cutAnswer,
    );
    if (body.includes('data-ticket=')) run.challengedTwice += 1;
    else if (status !== 200 || body !== ORIGIN_PAGE)
      run.wrongAnswers.push(`${path}: ${status} ${body.slice(0, 80)}`);
    await sleep(PAUSE_MS);
  }
}

/** Sends new visitors, one after the other. Each passes the challenge and loads some pages. */
async function bringVisitors(run: Run): Promise<void> {
  while (!run.isOver) await visitPages(run, await passChallenge(run), 10);
}

/**
 * The number of requests that one instance admits in this time: the whole budget, and the part that refills meanwhile.
 */
function budgetIn(ms: number): number {
  return LIMIT.requests + ms / (LIMIT.perMs / LIMIT.requests);
}

/** Sends more requests from one address than its limit, until the end of the run. */
async function exceedLimit(run: Run, startedAt: number): Promise<void> {
  const { gateway } = run.instances.balancer.addresses;
  const headers = { ...curl, host: 'shop.example', 'x-forwarded-for': '198.51.100.9' };
  while (!run.isOver || run.limited < budgetIn(performance.now() - startedAt) + BEYOND) {
    const path = `/few/${run.limited++}`;
    const { status } = await send(gateway + path, { headers }).catch(cutAnswer);
    if (status !== 200 && status !== 429) run.wrongAnswers.push(`${path}: ${status}`);
    await sleep(PAUSE_MS);
  }
}
