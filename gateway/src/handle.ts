import type { Log, MaybePromise, Metrics } from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import { readingsOf } from '@guard/config/matching/path-readings';
import { arrive, type Reception } from './arrive/arrive.ts';
import { collect, isCollectorPath } from './judge/collector/collector-path.ts';
import { plainAnswer, serve, serveLast } from './message/own-answer.ts';
import { follow } from './follow/follow.ts';
import { asksForTimes } from './follow/stage-times.ts';
import { eventOf, type Fate, type Judge } from './judge/judge.ts';
import type { ServedAnswer } from './judge/plan-answer.ts';
import { openBody, planSample, type SamplePlan } from './arrive/open-body.ts';
import { brokenStatus } from './http1/broken-request.ts';
import type { Connection } from './listen/connection.ts';
import type { VisitorRequest, VisitorResponse } from './message/message.ts';
import { logVisitorGone, VISITOR_GONE } from './judge/open-event.ts';
import { UploadsUnderWay } from './judge/collector/uploads-under-way.ts';
import type { Onward, Visit } from './arrive/visit.ts';

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

/** Takes one request from start to end; what is admitted goes `onward`. Never throws. */
export type Handle = (req: VisitorRequest, res: VisitorResponse, onward: Onward) => void;

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

/** What becomes of a path that origins could read in too many ways (RFC 9110 section 15.5.1). Logs it. */
export function refuseUnreadable(faults: Log, { peerIp }: Connection): Fate {
  const { status } = UNREADABLE.answer;
  faults('info', 'gateway_request_refused', { status, reason: 'path readings', peer: peerIp });
  return UNREADABLE;
}

const UNREADABLE = {
  kind: 'refused',
  answer: plainAnswer(400, 'The path can be read in too many ways.'),
  event: undefined,
} as const satisfies Fate;

function servedFate(answer: ServedAnswer): Fate {
  return { kind: 'served', answer, event: undefined };
}

/** A request target without its query. */
export function pathOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark);
}
