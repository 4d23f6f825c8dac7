import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../test/kit/http.ts';
import { chromeHttp, HOME_IP } from '../../test/kit/visitors/visitors.ts';
import { requestOnce } from '../crowd.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import { answerTo, type Behaviour } from '../origin.ts';
import { startSite } from '../site.ts';

const HANGING = 500;
const TRICKLING = 20;
const PIECE_BYTES = 4;
const PIECE_EVERY_MS = 200;
const ENOUGH = 400;

/** Requests below /hang/ get no answer, and those below /trickle/ a few bytes at a time. */
const answerSlowly: Behaviour = ({ url = '' }, response) => {
  if (url.startsWith('/hang/')) return true;
  if (!url.startsWith('/trickle/')) return false;
  void (async () => {
    const answer = answerTo(url);
    for (let from = 0; from < answer.length; from += PIECE_BYTES) {
      response.write(answer.slice(from, from + PIECE_BYTES));
      await sleep(PIECE_EVERY_MS);
    }
    response.end();
  })();
  return true;
};

export const originSlow: Fault = {
  done: `the origin never answers ${HANGING} requests, and ${TRICKLING} others a few bytes at a time`,
  async inflict(trial) {
    const site = await startSite(trial, { behave: answerSlowly });
    const headers = { ...chromeHttp, 'x-forwarded-for': HOME_IP };
    const crowd = site.startCrowd();
    await crowd.seeMore(ENOUGH);

    trial.say('requests hang');
    const hanging = Array.from({ length: HANGING }, (_, i) =>
      request(`${site.url}/hang/${i}`, { headers, agent: false })
        .on('error', () => undefined)
        .end(),
    );
    const leaveAll = () => {
      for (const one of hanging) one.destroy();
    };
    trial.onEnd(leaveAll);
    const underWay = () => Promise.resolve(site.origin.underWay());
    await poll(underWay, (count) => count >= HANGING, 20_000);
    const trickled = await Promise.all(
      Array.from({ length: TRICKLING }, (_, i) => requestOnce(site.url, `/trickle/${i}`, headers)),
    );
    await crowd.seeMore(ENOUGH);
    const wholeCount = trickled.filter(({ path, body }) => body === answerTo(path)).length;

    trial.say('their visitors go');
    const wasUnderWay = site.origin.underWay();
    leaveAll();
    // The crowd has at most one request under way in each lane.
    const openCount = await poll(underWay, (count) => count <= 8, 20_000);
    const traffic = await crowd.leave();
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'other visitors get right answers'),
      {
        what: 'a slow answer arrives whole',
        seen: `${wholeCount} of ${TRICKLING}`,
        holds: wholeCount === TRICKLING,
      },
      {
        what: 'a request ends at the origin when its visitor leaves',
        seen: `${wasUnderWay} requests at the origin, ${openCount} when their visitors had gone`,
        holds: wasUnderWay >= HANGING,
      },
    ]);
  },
};
