import { ONE_PLAYS_ALL } from '../../test/kit/policies.ts';
import { type Burst, burst } from '../../test/kit/burst.ts';
import { startRedis } from '../../test/kit/redis-server.ts';
import { startProduct } from '../../test/kit/start-product.ts';
import { SECRET_KEY, storySettings } from '../../test/kit/story-settings.ts';
import { CLOSED } from '../crowd.ts';
import { type Claim, everyAnswerIsRight, type Fault, needs } from '../fault.ts';
import type { Ground } from '../ground.ts';
import { DETECT } from '../settings.ts';
import { type Site, startSite } from '../site.ts';

/** Short requests and long ones, at once; what got through in the past, and more. */
const BURSTS: readonly Burst[] = [
  { light: 0, heavy: 25 },
  { light: 300, heavy: 0 },
  { light: 1_000, heavy: 0 },
  { light: 3_000, heavy: 0 },
  { light: 5, heavy: 80 },
  { light: 0, heavy: 120 },
  { light: 2_000, heavy: 150 },
];
/** Blocked, or told to come again. */
const JUDGED: ReadonlySet<number> = new Set([403, 503]);
const ENOUGH = 100;
/** Lines of the log by which Guard says that it asks no more. */
const GONE = /store_away|validator_breaker_opened/g;

export const requestBurst: Fault = {
  done: `requests for what is closed come at once, in ${BURSTS.length} bursts of up to 3,000, a part of them with the dearest path of 16 KB; to a site with Redis, and to one with a remote validator`,
  hindrance: needs('redis-server'),
  async inflict(ground) {
    const redis = await startRedis();
    ground.behind(() => redis.stop());
    const top = { store: { engine: 'redis', url: redis.url } };
    const shared = await startSite(ground, { top });
    const withRedis = await storm(ground, shared, 'Redis');
    const asking = await startSite(ground, { site: { validator: await startValidator(ground) } });
    const withValidator = await storm(ground, asking, 'a remote validator');
    const crowd = asking.gather();
    await crowd.seeMore(ENOUGH);
    const traffic = await crowd.leave();
    return asking.outcome(traffic, [
      ...withRedis,
      ...withValidator,
      everyAnswerIsRight(traffic, 'who comes afterwards is judged as ever'),
    ]);
  },
};

async function startValidator(ground: Ground) {
  const validator = await startProduct(
    storySettings('http://127.0.0.1:9', {
      rules: DETECT,
      organisation: ONE_PLAYS_ALL,
      top: { analytics: undefined },
    }),
  );
  ground.behind(() => validator.stop());
  return { url: validator.addresses.validator, key: SECRET_KEY, timeout: '400ms' };
}

async function storm(ground: Ground, site: Site, what: string): Promise<Claim[]> {
  const totals = new Map<number, number>();
  for (const sent of BURSTS) {
    ground.say(`${what}: ${sent.light} short, ${sent.heavy} long`);
    const told = await burst(site.url, CLOSED, sent);
    for (const [status, count] of told) totals.set(status, (totals.get(status) ?? 0) + count);
  }
  const seen = [...totals].map(([status, count]) => `${count} × ${status}`).join(', ');
  const gone = [...site.product.log().matchAll(GONE)].length;
  const isJudged = totals.has(403) && [...totals.keys()].every((status) => JUDGED.has(status));
  return [
    { what: `with ${what} none passes unjudged`, seen, holds: isJudged },
    { what: `${what} is not taken for gone`, seen: `${gone} times`, holds: gone === 0 },
  ];
}
