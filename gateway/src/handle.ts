import type { Log, MaybePromise, Metrics } from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import { readingsOf } from '@guard/config/matching/path-readings';
import { arrive, type Reception } from './arrive/arrive.ts';
import { collect, isCollectorPath } from './judge/collector/collector-path.ts';
import { plainAnswer, serve, serveLast, type ServedAnswer } from './message/own-answer.ts';
import { follow } from './follow/follow.ts';
import { asksForTimes } from './follow/stage-times.ts';
import type { Handle, Onward } from './forward/forward-ports.ts';
import type { Judge } from './judge/judge.ts';
import { eventOf, type Fate, refuseUnreadable } from './judge/request-plan.ts';
import { openBody, planSample, type SamplePlan } from './arrive/open-body.ts';
import { brokenStatus } from './http1/broken-request.ts';
import type { VisitorRequest, VisitorResponse } from './message/message.ts';
import { logVisitorGone, VISITOR_GONE } from './judge/open-event.ts';
import { UploadsUnderWay } from './judge/collector/uploads-under-way.ts';
import { pathOf, type Visit } from './arrive/visit.ts';

/** The stages, built once. */
export interface Stages extends Reception {
  readonly log: Log;
  /** For faults that can come with every request: see sparing-log.ts. */
  readonly faults: Log;
  readonly metrics: Metrics;
  readonly judge: Judge;
  /** Undefined where nobody traces. */
  readonly tracing?: Tracing | undefined;
}

/** One request: arrive, ask, enforce or forward. */
export function createHandle(stages: Stages): Handle {
  const { limits, metrics, faults, judge, tracing } = stages;

  const uploads = new UploadsUnderWay(limits.collectorBytes);
  const carryOut = carry.bind(undefined, stages);
  const broken = breakOff.bind(undefined, stages);

  function settle(visit: Visit, fate: MaybePromise<Fate>, onward: Onward): void {
    if (!(fate instanceof Promise)) {
      carryOut(visit, fate, onward);
      return;
    }
    fate
      .then((late) => carryOut(visit, late, onward))
      .catch((error: unknown) => broken(error, visit.req, visit.res));
  }

  /** Where a site samples bodies, nobody is asked before the first bytes have come. */
  async function settleSampled(
    visit: Visit,
    plan: SamplePlan,
    readings: readonly string[],
    onward: Onward,
  ): Promise<void> {
    const { req, res } = visit;
    try {
      const opened = await openBody(visit, plan, limits.bodySampleMs);
      // Of what its parser refused meanwhile, the visitor was told, and it was counted.
      if (brokenStatus(req.socket) !== undefined) return;
      if (req.socket.destroyed) abandon(stages, visit);
      else settle(opened, judge(opened, readings), onward);
    } catch (error) {
      broken(error, req, res);
    }
  }

  function proceed(visit: Visit, onward: Onward): void {
    const { req, res } = visit;
    try {
      const path = pathOf(visit.target);
      const readings = readingsOf(path);
      if (readings === undefined) {
        carryOut(visit, refuseUnreadable(faults, visit.connection), onward);
        return;
      }
      if (isCollectorPath(readings)) {
        settle(visit, collect(visit, path, limits, uploads).then(servedFate), onward);
        return;
      }
      const plan = planSample(visit, readings);
      if (plan === undefined) settle(visit, judge(visit, readings), onward);
      else void settleSampled(visit, plan, readings, onward);
    } catch (error) {
      broken(error, req, res);
    }
  }

  return (req, res, onward) => {
    try {
      const arrival = arrive(stages, req, res);
      if (arrival.kind === 'turned away') {
        metrics.count('guard_gateway_requests_total', arrival.outcome);
        const send = arrival.outcome === 'refused' ? serveLast : serve;
        send(req, res, arrival.answer, limits.lingerMs);
        return;
      }
      const { visit } = arrival;
      if (tracing === undefined && !asksForTimes(visit)) {
        proceed(visit, onward);
        return;
      }
      const followed = follow(visit, onward, tracing);
      proceed(followed.visit, followed.onward);
    } catch (error) {
      broken(error, req, res);
    }
  };
}

/** Does what was decided. Whatever happens, the event of the decision is recorded, or goes onward. */
function carry(stages: Stages, visit: Visit, fate: Fate, onward: Onward): void {
  const { req, res } = visit;
  try {
    if (req.socket.destroyed) {
      eventOf(fate)?.record(VISITOR_GONE);
      abandon(stages, visit);
    } else if (fate.kind === 'onward') {
      onward(visit, fate.passage);
    } else {
      fate.event?.record(fate.answer.status);
      stages.metrics.count('guard_gateway_requests_total', fate.kind);
      serve(req, res, fate.answer, stages.limits.lingerMs);
    }
  } catch (error) {
    eventOf(fate)?.record(500);
    throw error;
  }
}

/** The visitor has gone before it was decided; forward.ts has those who go later. */
function abandon({ log, metrics }: Stages, visit: Visit): void {
  metrics.count('guard_gateway_requests_total', 'aborted');
  logVisitorGone(log, visit);
}

/** A fault of our own costs one visitor an answer, never the process. */
function breakOff(
  { log, metrics, limits }: Stages,
  error: unknown,
  req: VisitorRequest,
  res: VisitorResponse,
): void {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log('error', 'gateway_internal_error', { detail });
  metrics.count('guard_gateway_requests_total', 'failed');
  if (res.headersSent || req.socket.destroyed) req.socket.destroy();
  else serve(req, res, plainAnswer(500, 'Internal error.'), limits.lingerMs);
}

function servedFate(answer: ServedAnswer): Fate {
  return { kind: 'served', answer, event: undefined };
}
