import { setTimeout as sleep } from 'node:timers/promises';
import { curl } from './visitors.ts';
import { type BalancedInstances, openBalancedInstances } from './balanced-instances.ts';
import { send } from './http.ts';
import { ORIGIN_PAGE } from './recording-origin.ts';
import { answerAt, challengeAt, navigate, type Page } from './shared-store.ts';

const INSTANCES = 3;
/** Visitors who have passed before the first kill, and ask all the time. */
const VISITORS = 12;
/** Between two requests of one visitor. */
const PAUSE_MS = 40;
const LIMIT = { requests: 60, perMs: 60_000 };
/** So many requests more than its budget, at least. */
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

/** What visitors met while instances were killed. */
export interface KillReport {
  readonly kills: number;
  readonly tookMs: number;
  /** Requests of visitors who had passed. */
  readonly asked: number;
  /** Visitors who passed while instances were killed. */
  readonly passedMeanwhile: number;
  /** Uploads without an answer; the page sends them again, as it does in a browser. */
  readonly brokenUploads: number;
  /** Visitors who had passed, and were given a challenge again. */
  readonly challengedTwice: number;
  /** Answers that no visitor should see: what was asked, and what came. */
  readonly wrong: readonly string[];
  /** How many questions Redis answered too late. Then an instance does not know the visitors of another instance. */
  readonly unanswered: number;
  /** Requests that HAProxy had to give to an instance once more. */
  readonly retries: number;
  /** Requests below `/few` that were sent, and that reached the origin. */
  readonly limited: { readonly asked: number; readonly admitted: number };
  /** What one instance that was never killed admits of them in that time. */
  readonly budget: number;
}

/** Everything counted so far, and whether to go on. */
interface Run {
  readonly house: BalancedInstances;
  isOver: boolean;
  asked: number;
  passed: number;
  brokenUploads: number;
  challengedTwice: number;
  limited: number;
  readonly wrong: string[];
}

/**
 * Three instances behind HAProxy that share a Redis. One after the other is killed and started again,
 * `kills` times in all, while visitors who passed go on asking, others come, and one address asks for
 * more than its budget.
 */
export async function killInTurns(kills: number): Promise<KillReport> {
  const house = await openBalancedInstances(INSTANCES, RULES);
  const run: Run = {
    house,
    isOver: false,
    asked: 0,
    passed: 0,
    brokenUploads: 0,
    challengedTwice: 0,
    limited: 0,
    wrong: [],
  };
  try {
    const early: string[] = [];
    for (let i = 0; i < VISITORS; i++) early.push(await arrive(run));
    const startedAt = performance.now();
    const crowd = Promise.all([
      ...early.map((cookie) => stay(run, cookie)),
      come(run),
      exceed(run, startedAt),
    ]);
    const killing = killEach(house, kills).finally(() => (run.isOver = true));
    await Promise.allSettled([crowd, killing]);
    await Promise.all([crowd, killing]);
    const tookMs = performance.now() - startedAt;
    const admitted = house.origin.arrivals.filter(({ url }) => url.startsWith('/few/')).length;
    return {
      kills,
      tookMs,
      asked: run.asked,
      passedMeanwhile: run.passed - early.length,
      brokenUploads: run.brokenUploads,
      challengedTwice: run.challengedTwice,
      wrong: run.wrong,
      unanswered: await house.countUnanswered(),
      retries: await house.balancer.countRetries(),
      limited: { asked: run.limited, admitted },
      budget: budgetIn(tookMs),
    };
  } finally {
    run.isOver = true;
    await house.close();
  }
}

async function killEach(house: BalancedInstances, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill++) await house.killAndStart(kill % INSTANCES);
}

/** A stranger's first visit: challenge, upload, reload. Gives the session that passed. */
async function arrive(run: Run): Promise<string> {
  for (;;) {
    const page = await challengeAt(run.house.balancer);
    if (await upload(run, page)) return page.session;
  }
}

async function upload(run: Run, page: Page): Promise<boolean> {
  const { status, body } = await answerAt(run.house.balancer, page).catch(cut);
  if (body === '{"result":"reload"}') {
    run.passed += 1;
    return true;
  }
  run.brokenUploads += 1;
  // HAProxy's own words for an instance that was killed before it could answer, or the end of the connection
  // in their place, as it ends one that the other side may use again. Anything else is Guard's.
  if (status !== 502 && status !== CUT) run.wrong.push(`upload: ${status} ${body.slice(0, 80)}`);
  return false;
}

const CUT = 0;

/** What a visitor has of a connection that ended without an answer. */
function cut(error: Error): { readonly status: number; readonly body: string } {
  return { status: CUT, body: error.message };
}

/** Asks for pages until it is over, or for so many. */
async function stay(run: Run, cookie: string, pages = Number.POSITIVE_INFINITY): Promise<void> {
  for (let page = 0; page < pages && !run.isOver; page++) {
    const path = `/page/${run.asked++}`;
    const { status, body } = await navigate(run.house.balancer, path, { cookie }).catch(cut);
    if (body.includes('data-ticket=')) run.challengedTwice += 1;
    else if (status !== 200 || body !== ORIGIN_PAGE)
      run.wrong.push(`${path}: ${status} ${body.slice(0, 80)}`);
    await sleep(PAUSE_MS);
  }
}

/** One new visitor after the other, who passes, looks around and leaves. */
async function come(run: Run): Promise<void> {
  while (!run.isOver) await stay(run, await arrive(run), 10);
}

/** Requests that one instance admits in this time: the whole burst, and what refills. */
function budgetIn(ms: number): number {
  return LIMIT.requests + ms / (LIMIT.perMs / LIMIT.requests);
}

/** One address that asks more often than it may, until it is over and it has done so. */
async function exceed(run: Run, startedAt: number): Promise<void> {
  const { gateway } = run.house.balancer.addresses;
  const headers = { ...curl, host: 'shop.example', 'x-forwarded-for': '198.51.100.9' };
  while (!run.isOver || run.limited < budgetIn(performance.now() - startedAt) + BEYOND) {
    const path = `/few/${run.limited++}`;
    const { status } = await send(gateway + path, { headers }).catch(cut);
    if (status !== 200 && status !== 429) run.wrong.push(`${path}: ${status}`);
    await sleep(PAUSE_MS);
  }
}
