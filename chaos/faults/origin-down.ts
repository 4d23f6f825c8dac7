import { asUsual, CLOSED, type Judge } from '../crowd.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import { startSite } from '../site.ts';

/** Requests that are waited for in each phase. */
const ENOUGH = 200;

export const originDown: Fault = {
  done: 'the origin stops listening and cuts its connections under traffic, and comes back',
  async inflict(ground) {
    const site = await startSite(ground);
    const away = { fromMs: Infinity, untilMs: Infinity };
    const counts = { unreachable: 0, blocked: 0 };
    let firstPageAfterMs: number | undefined;
    const judge: Judge = (sight) => {
      const { path, status, sentAtMs } = sight;
      const nowMs = performance.now();
      const isPage = !path.startsWith(CLOSED);
      const metNobody = nowMs >= away.fromMs && sentAtMs < away.untilMs;
      if (metNobody && isPage && status === 502) {
        counts.unreachable += 1;
        return undefined;
      }
      if (metNobody && status === 403) counts.blocked += 1;
      if (isPage && status === 200 && nowMs >= away.untilMs) {
        firstPageAfterMs ??= nowMs - away.untilMs;
      }
      return asUsual(sight);
    };
    const crowd = site.gather({ judge });
    await crowd.seeMore(ENOUGH);
    ground.say('the origin goes');
    away.fromMs = performance.now();
    await site.origin.leave();
    await crowd.seeMore(ENOUGH);
    ground.say('the origin comes back');
    await site.origin.comeBack();
    away.untilMs = performance.now();
    await crowd.seeMore(ENOUGH);
    const traffic = await crowd.leave();
    const metric = await site.metric('guard_gateway_origin_errors_total{reason="connect"}');
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'a page is a 502 while the origin is away, and nothing else'),
      {
        what: 'decisions go on meanwhile',
        seen: `${counts.blocked} requests blocked`,
        holds: counts.blocked > 0,
      },
      {
        what: 'the metrics say so',
        seen: `${counts.unreachable} answers of 502, ${metric} counted as connect`,
        holds: metric > 0 && metric <= counts.unreachable,
      },
      {
        what: 'pages come again by themselves when it is back',
        seen: `the first one after ${firstPageAfterMs?.toFixed(0) ?? '–'} ms`,
        holds: firstPageAfterMs !== undefined,
      },
    ]);
  },
};
