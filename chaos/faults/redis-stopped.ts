import {
  BROWSER_HEADERS,
  navigateFrom,
  PASSED,
  passFrom,
  readChallenge,
  uploadFrom,
} from '../../test/kit/challenged-browser.ts';
import { startRedis } from '../../test/kit/redis-server.ts';
import { HOME_IP } from '../../test/kit/visitors.ts';
import { everyAnswerIsRight, type Fault, needs } from '../fault.ts';
import { exceed } from '../exceed-limit.ts';
import { CHALLENGE_ALL, FEW } from '../settings.ts';
import { startSite } from '../site.ts';

const ENOUGH = 400;
const AWAY = 'guard_store_away';
const [STRANGER, SCRIPT] = ['203.0.113.20', '203.0.113.21'];

export const redisStopped: Fault = {
  done: 'the Redis that holds the sessions hangs (SIGSTOP), and goes on (SIGCONT)',
  hindrance: needs('redis-server'),
  async inflict(ground) {
    const redis = await startRedis();
    ground.behind(() => redis.stop());
    const site = await startSite(ground, {
      rules: CHALLENGE_ALL,
      top: { store: { engine: 'redis', url: redis.url } },
    });
    const { url } = site;
    const session = await passFrom(url, HOME_IP);
    const crowd = site.gather({ headers: { ...BROWSER_HEADERS, cookie: `_guard=${session}` } });
    await crowd.seeMore(ENOUGH);

    ground.say('Redis hangs');
    redis.pause();
    await crowd.seeMore(ENOUGH);
    await site.metricIs(AWAY, (away) => away === 1);
    const page = readChallenge(await navigateFrom(url, '/', { ip: STRANGER }));
    const refused = page && (await uploadFrom(url, page, STRANGER));
    const limited = await exceed(url, SCRIPT);
    await crowd.seeMore(ENOUGH);

    ground.say('Redis goes on');
    redis.resume();
    await site.metricIs(AWAY, (away) => away === 0);
    const again = readChallenge(await navigateFrom(url, '/', { ip: STRANGER }));
    const passed = again && (await uploadFrom(url, again, STRANGER));
    await crowd.seeMore(ENOUGH);
    const traffic = await crowd.leave();
    const opened = await site.metric('guard_gateway_fail_open_total{reason="timeout"}');
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'who has passed is not challenged again'),
      {
        what: 'every decision comes within its 500 ms',
        seen: `${opened} were too late`,
        holds: opened === 0,
      },
      {
        what: 'a limit holds from what the instance knows',
        seen: `${limited.admitted} of ${limited.asked} admitted, ${FEW} may pass`,
        holds: limited.admitted === FEW,
      },
      {
        what: 'nobody new passes meanwhile, and anybody does afterwards',
        seen: `upload: ${refused?.status ?? 'no page'} meanwhile, ${passed?.body ?? 'no page'} afterwards`,
        holds: refused?.status === 503 && passed?.body === PASSED,
      },
    ]);
  },
};
