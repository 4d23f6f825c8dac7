import { ONE_PLAYS_ALL } from '../../test/kit/policies.ts';
import { startProduct } from '../../test/kit/start-product.ts';
import { SECRET_KEY, storySettings } from '../../test/kit/story-settings.ts';
import { asUsual, CLOSED, type Judge } from '../crowd.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import { DETECT } from '../settings.ts';
import { startSite } from '../site.ts';

const ENOUGH = 400;
const TIMEOUT_MS = 400;
/** What a machine that is busy may add to it. */
const ROOM_MS = 1_000;
const AWAY = 'guard_gateway_validators_away';
/** The questions about one client's network alone do not open the breaker. */
const NETWORKS = ['84.115.20.7', '84.115.21.7', '84.115.22.7', '84.115.23.7'];

export const validatorHung: Fault = {
  done: 'a remote validator takes connections and never answers (SIGSTOP), and goes on (SIGCONT)',
  async inflict(ground) {
    const validator = await startProduct(
      storySettings('http://127.0.0.1:9', {
        rules: DETECT,
        organisation: ONE_PLAYS_ALL,
        top: { analytics: undefined },
      }),
    );
    ground.behind(() => validator.stop());
    // Behind the other in the list, so before it in time: a stopped process does not end.
    ground.behind(() => process.kill(validator.pid, 'SIGCONT'));
    const { validator: url } = validator.addresses;
    const remote = { url, key: SECRET_KEY, timeout: `${TIMEOUT_MS}ms` };
    const site = await startSite(ground, { site: { validator: remote } });

    let isHung = false;
    let passed = 0;
    const judge: Judge = (sight) => {
      if (isHung && sight.path.startsWith(CLOSED) && sight.status === 200) {
        passed += 1;
        return undefined;
      }
      return asUsual(sight);
    };
    const crowd = site.gather({ judge, ips: NETWORKS });
    await crowd.seeMore(ENOUGH);
    ground.say('the validator hangs');
    isHung = true;
    process.kill(validator.pid, 'SIGSTOP');
    await site.metricIs(AWAY, (away) => away === 1);
    await crowd.seeMore(ENOUGH);
    const open = async (reason: string) =>
      site.metric(`guard_gateway_fail_open_total{reason="${reason}"}`);
    const [late, unasked] = [await open('timeout'), await open('breaker_open')];
    const told = site.product.log().includes('validator_breaker_opened');
    ground.say('the validator goes on');
    process.kill(validator.pid, 'SIGCONT');
    await site.metricIs(AWAY, (away) => away === 0);
    // What was asked while the breaker was open is answered by now.
    await crowd.seeMore(8);
    isHung = false;
    await crowd.seeMore(ENOUGH);
    const traffic = await crowd.leave();
    const changes = await site.metric('guard_gateway_breaker_changes_total{change="opened"}');
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'it fails open, and only while the validator hangs'),
      {
        what: `nobody waits much longer than the ${TIMEOUT_MS} ms of the settings`,
        seen: `slowest ${traffic.slowestMs.toFixed(0)} ms`,
        holds: traffic.slowestMs < TIMEOUT_MS + ROOM_MS,
      },
      {
        what: 'the breaker opens, and closes by itself',
        seen: `opened ${changes} time(s); ${late} waited, ${unasked} were not asked about, ${passed} of them should have been blocked`,
        holds: changes > 0 && unasked > late && passed > 0,
      },
      { what: 'metrics and log say so', seen: told ? 'both' : 'the metrics only', holds: told },
    ]);
  },
};
