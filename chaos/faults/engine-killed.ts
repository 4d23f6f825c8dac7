import { childrenOf } from '../../test/kit/children.ts';
import { poll } from '../../test/kit/http.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import { countRecorded, countWhenAllAre, untilRecorded } from '../recorded.ts';
import { WITH_DATABASE } from '../settings.ts';
import { startSite } from '../site.ts';

const KILLS = 3;
const REQUESTS_PER_KILL = 300;

export const engineKilled: Fault = {
  done: `the database's process is killed ${KILLS} times (SIGKILL) while events are written`,
  async inflict(trial) {
    const site = await startSite(trial, { topLevelSettings: WITH_DATABASE });
    const { product } = site;
    const crowd = site.startCrowd();
    let lost = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const recordedBefore = await untilRecorded(product);
      await crowd.seeMore(REQUESTS_PER_KILL);
      trial.say(`kill ${kill} of ${KILLS}`);
      const [enginePid] = childrenOf(product.pid);
      if (enginePid === undefined) throw new Error('the database has no process');
      process.kill(enginePid, 'SIGKILL');
      const after = await poll(
        () => countRecorded(product),
        (recorded) => recorded !== undefined,
        20_000,
      );
      lost += Math.max(0, recordedBefore.rows - (after?.rows ?? 0));
    }
    await crowd.seeMore(REQUESTS_PER_KILL);
    const traffic = await crowd.leave();
    const { rows, requests } = await countWhenAllAre(product, traffic.requests);
    const restarts = await site.metric('guard_analytics_restarts_total');
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic),
      {
        what: 'no row that a query found is lost by a kill',
        seen: `${lost} rows fewer than before a kill`,
        holds: lost === 0,
      },
      {
        what: 'in the end every request is one row',
        seen: `${rows} rows with ${requests} different requests; ${traffic.requests} requests were sent`,
        holds: rows === traffic.requests && requests === traffic.requests,
      },
      {
        what: 'the database is started again each time',
        seen: `${restarts} restarts`,
        holds: restarts === KILLS,
      },
    ]);
  },
};
