import { checkUsual, CLOSED, type AnswerCheck } from '../crowd.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import { startSite } from '../site.ts';

/** Requests in each phase. */
const ENOUGH = 200;

export const originDown: Fault = {
  done: 'the origin stops listening and cuts its connections under traffic, and comes back',
  async inflict(trial) {
    const site = await startSite(trial);
    const downTime = { fromMs: Infinity, untilMs: Infinity };
    const counts = { unreachable: 0, blocked: 0 };
    let firstPageAfterMs: number | undefined;
    const check: AnswerCheck = (answer) => {
      const { path, status, sentAtMs } = answer;
      const nowMs = performance.now();
      const isPage = !path.startsWith(CLOSED);
      const isRefused = nowMs >= downTime.fromMs && sentAtMs < downTime.untilMs;
      if (isRefused && isPage && status === 502) {
        counts.unreachable += 1;
        return undefined;
      }
      if (isRefused && status === 403) counts.blocked += 1;
      if (isPage && status === 200 && nowMs >= downTime.untilMs) {
        firstPageAfterMs ??= nowMs - downTime.untilMs;
      }
      return checkUsual(answer);
    };
    const crowd = site.startCrowd({ check });
    await crowd.seeMore(ENOUGH);
    trial.say('the origin goes');
    downTime.fromMs = performance.now();
    await site.origin.leave();
    await crowd.seeMore(ENOUGH);
    trial.say('the origin comes back');
    await site.origin.comeBack();
    downTime.untilMs = performance.now();
    await crowd.seeMore(ENOUGH);
    const traffic = await crowd.leave();
    const metric = await site.metric('guard_gateway_origin_errors_total{reason="connect"}');
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'a page is a 502 while the origin is away, and nothing else'),
      {
        what: 'decisions go on in the meantime',
        seen: `${counts.blocked} requests blocked`,
        holds: counts.blocked > 0,
      },
      {
        what: 'the metrics show the failures',
        seen: `${counts.unreachable} answers of 502, ${metric} counted as connect`,
        holds: metric > 0 && metric <= counts.unreachable,
      },
      {
        what: 'pages come again by themselves when the origin is back',
        seen: `the first one after ${firstPageAfterMs?.toFixed(0) ?? '–'} ms`,
        holds: firstPageAfterMs !== undefined,
      },
    ]);
  },
};
