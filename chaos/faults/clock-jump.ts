import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BROWSER_HEADERS,
  navigate,
  PASSED_ANSWER,
  passChallenge,
  readChallenge,
  sendUpload,
} from '../../test/kit/browsers/challenged-browser.ts';
import { poll, send } from '../../test/kit/http.ts';
import { curl, HOME_IP } from '../../test/kit/visitors/visitors.ts';
import { type Claim, everyAnswerIsRight, type Fault } from '../fault.ts';
import { makeFolder } from '../trial.ts';
import { countWhenAllAre } from '../recorded.ts';
import { CHALLENGE_ALL_RULES, FEW_PER_MINUTE, WITH_DATABASE } from '../settings.ts';
import { type Site, startSite } from '../site.ts';

const PRELOAD = join(import.meta.dirname, '..', 'shifted-clock.ts');
const HOUR_MS = 3_600_000;
const ENOUGH = 300;
const SCRIPT = '203.0.113.30';

export const clockJump: Fault = {
  done: 'the wall clock is set forward by one hour, back by two, and forward by 26',
  async inflict(trial) {
    const file = join(await makeFolder(trial), 'shift');
    const site = await startSite(trial, {
      rules: CHALLENGE_ALL_RULES,
      topLevelSettings: WITH_DATABASE,
      env: { NODE_OPTIONS: `--import=${PRELOAD}`, GUARD_CHAOS_CLOCK: file },
    });
    const { url } = site;
    const session = await passChallenge(url, HOME_IP);
    const crowd = site.startCrowd({ headers: { ...BROWSER_HEADERS, cookie: `_guard=${session}` } });
    await crowd.seeMore(ENOUGH);
    const earlyTicket = readChallenge(await navigate(url, '/', { ip: '203.0.113.31' }));
    const exceededLimits = [await exceedLimit(url, SCRIPT)];

    trial.say('forward by an hour');
    await shift(site, file, HOUR_MS);
    await crowd.seeMore(ENOUGH);
    const staleUpload = earlyTicket && (await sendUpload(url, earlyTicket, '203.0.113.31'));
    exceededLimits.push(await exceedLimit(url, SCRIPT));
    const ahead = await passes(url, '203.0.113.32');

    trial.say('back by two hours');
    await shift(site, file, -HOUR_MS);
    exceededLimits.push(await exceedLimit(url, SCRIPT));
    const passesBehind = await passes(url, '203.0.113.33');
    await crowd.seeMore(ENOUGH);
    const traffic = await crowd.leave();
    const { requests } = await countWhenAllAre(site.product, traffic.requests);

    trial.say('forward by 26 hours');
    await shift(site, file, 25 * HOUR_MS);
    const expired = await navigate(url, '/', { ip: HOME_IP, session });
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'a visitor who passed is not challenged again within a day'),
      {
        what: 'a page from an hour ago cannot be passed, a new page can',
        seen: `${staleUpload?.body ?? 'no page'}; ahead ${String(ahead)}, behind ${String(passesBehind)}`,
        holds: staleUpload?.body === '{"result":"retry"}' && ahead && passesBehind,
      },
      limits(exceededLimits),
      {
        what: 'events are written at any time of the clock',
        seen: `${requests} requests are in the database; ${traffic.requests} requests were sent`,
        holds: requests === traffic.requests,
      },
      {
        what: 'a session ends with its day',
        seen: `${expired.status}${readChallenge(expired) ? ', a challenge' : ''}`,
        holds: expired.status === 403 && readChallenge(expired) !== undefined,
      },
    ]);
  },
};

function limits(exceededLimits: readonly Exceeded[]): Claim {
  const limitTexts = exceededLimits.map(
    ({ admittedCount, retryAfterS }) => `${admittedCount}, retry after ${retryAfterS} s`,
  );
  return {
    what: 'a rate limit neither ends early nor lasts longer than its minute',
    seen: `admitted of ${3 * FEW_PER_MINUTE} each time: ${limitTexts.join('; ')}`,
    holds: exceededLimits.every(
      ({ admittedCount, retryAfterS }) => admittedCount === FEW_PER_MINUTE && retryAfterS <= 60,
    ),
  };
}

/** The answers to an address that sends three times as many requests as it may. */
interface Exceeded {
  readonly admittedCount: number;
  /** The longest Retry-After. */
  readonly retryAfterS: number;
}

/** Sends requests below /few/ from one address, one after the other, like a script that ignores Retry-After. */
async function exceedLimit(gateway: string, ip: string): Promise<Exceeded> {
  let [admittedCount, retryAfterS] = [0, 0];
  for (let i = 0; i < 3 * FEW_PER_MINUTE; i++) {
    const headers = { ...curl, 'x-forwarded-for': ip };
    const answer = await send(`${gateway}/few/${i}`, { headers });
    if (answer.status === 200) admittedCount += 1;
    retryAfterS = Math.max(retryAfterS, Number(answer.headers['retry-after'] ?? 0));
  }
  return { admittedCount, retryAfterS };
}

async function passes(url: string, ip: string): Promise<boolean> {
  const page = readChallenge(await navigate(url, '/', { ip }));
  return page !== undefined && (await sendUpload(url, page, ip)).body === PASSED_ANSWER;
}

/** Shifts the clock of a process. Resolves when the process uses the new time. */
async function shift({ product }: Site, file: string, byMs: number): Promise<void> {
  writeFileSync(file, String(byMs));
  process.kill(product.pid, 'SIGUSR2');
  const line = `the clock is shifted by ${byMs} ms`;
  await poll(
    () => Promise.resolve(product.log()),
    (log) => log.includes(line),
    10_000,
  );
}
