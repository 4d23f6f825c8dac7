import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../test/kit/http.ts';
import { chromeHttp, HOME_IP } from '../../test/kit/visitors.ts';
import { look } from '../crowd.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import { answerTo, type Behaviour } from '../origin.ts';
import { startSite } from '../site.ts';

const HANGING = 500;
const TRICKLING = 20;
const PIECE_BYTES = 4;
const PIECE_EVERY_MS = 200;
const ENOUGH = 400;

/** What is below /hang/ is never answered, and what is below /trickle/ a few bytes at a time. */
const behave: Behaviour = ({ url = '' }, response) => {
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
  async inflict(ground) {
    const site = await startSite(ground, { behave });
    const headers = { ...chromeHttp, 'x-forwarded-for': HOME_IP };
    const crowd = site.gather();
    await crowd.seeMore(ENOUGH);

    ground.say('requests hang');
    const hanging = Array.from({ length: HANGING }, (_, i) =>
      request(`${site.url}/hang/${i}`, { headers, agent: false })
        .on('error', () => undefined)
        .end(),
    );
    const leaveAll = () => {
      for (const one of hanging) one.destroy();
    };
    ground.behind(leaveAll);
    const underWay = () => Promise.resolve(site.origin.underWay());
    await poll(underWay, (count) => count >= HANGING, 20_000);
    const trickled = await Promise.all(
      Array.from({ length: TRICKLING }, (_, i) => look(site.url, `/trickle/${i}`, headers)),
    );
    await crowd.seeMore(ENOUGH);
    const whole = trickled.filter(({ path, body }) => body === answerTo(path)).length;

    ground.say('their visitors go');
    const wasUnderWay = site.origin.underWay();
    leaveAll();
    // The crowd's own requests, one a lane at most, come and go.
    const left = await poll(underWay, (count) => count <= 8, 20_000);
    const traffic = await crowd.leave();
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'other visitors see nothing of it'),
      {
        what: 'a slow answer arrives whole',
        seen: `${whole} of ${TRICKLING}`,
        holds: whole === TRICKLING,
      },
      {
        what: 'a visitor who goes is not asked for any longer',
        seen: `${wasUnderWay} requests at the origin, ${left} when their visitors had gone`,
        holds: wasUnderWay >= HANGING,
      },
    ]);
  },
};
