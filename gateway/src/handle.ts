import type { Log, MaybePromise, Metrics } from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import { readingsOf } from '@guard/config/matching/path-readings';
import { logBroken } from './base/throttled-log.ts';
import { arrive, pathOf, type Reception, type Visit } from './arrive/arrive.ts';
import type { EarlyAnswer } from './arrive/early-answer.ts';
import { openBody, planSample, type SamplePlan } from './arrive/open-body.ts';
import { follow } from './follow/follow.ts';
import type { Forward, Handle } from './forward/forward-ports.ts';
import { brokenStatus } from './http1/node-server.ts';
import { collect } from './judge/collect.ts';
import { isCollectorPath } from './arrive/sites.ts';
import type { Judge } from './judge/judge.ts';
import { logVisitorGone, VISITOR_GONE } from './judge/open-event.ts';
import { eventOf, refuseUnreadable, type RequestPlan } from './judge/request-plan.ts';
import type { VisitorRequest, VisitorResponse } from './message/message.ts';
import type { UploadsUnderWay } from './message/upload.ts';
import { inGzip, type OwnAnswer, plainAnswer, serve, serveLast } from './message/own-answer.ts';

/** The stages through which a request passes. They are built once for each reading of the settings. */
export interface Stages extends Reception {
  readonly log: Log;
  /** For problems that can come with every request: see throttled-log.ts. */
  readonly throttledLog: Log;
  readonly metrics: Metrics;
  readonly judge: Judge;
  readonly uploads: UploadsUnderWay;
  /** Functions that can answer before the decision. They are tried in this order, and the first answer is sent. */
  readonly earlyAnswers?: readonly EarlyAnswer[];
  /** Undefined when nothing is traced. */
  readonly tracing?: Tracing | undefined;
}

/** Handles one request: arrive, ask, enforce or forward. */
export function createHandle(stages: Stages): Handle {
  const { limits, metrics, throttledLog, judge, tracing, uploads, earlyAnswers = [] } = stages;
  const enforce = enforcePlan.bind(undefined, stages);
  const breakOffRequest = breakOff.bind(undefined, stages);

  function settle(visit: Visit, plan: MaybePromise<RequestPlan>, forward: Forward): void {
    if (!(plan instanceof Promise)) {
      enforce(visit, plan, forward);
      return;
    }
    plan
      .then((latePlan) => enforce(visit, latePlan, forward))
      .catch((error: unknown) => breakOffRequest(error, visit.req, visit.res));
  }

  /** When a site samples bodies, the validator is asked only after the first bytes have come. */
  async function settleSampled(
    visit: Visit,
    sample: SamplePlan,
    readings: readonly string[],
    forward: Forward,
  ): Promise<void> {
    const { req, res } = visit;
    try {
      const openedVisit = await openBody(visit, sample, limits.bodySampleMs);
      // Meanwhile the parser may have refused the rest of the body. The server has already answered and counted that
      // refusal.
      if (brokenStatus(req.socket) !== undefined) return;
      if (req.socket.destroyed) abandon(stages, visit);
      else settle(openedVisit, judge(openedVisit, readings), forward);
    } catch (error) {
      breakOffRequest(error, req, res);
    }
  }

  function proceed(visit: Visit, forward: Forward): void {
    const { req, res } = visit;
    try {
      const path = pathOf(visit.target);
      const readings = readingsOf(path);
      if (readings === undefined) {
        enforce(visit, refuseUnreadable(throttledLog, visit.connection), forward);
        return;
      }
      if (isCollectorPath(readings)) {
        settle(visit, collect(visit, path, limits, uploads).then(servedPlan), forward);
        return;
      }
      const sample = visit.hasBody ? planSample(visit, readings) : undefined;
      if (sample === undefined) settle(visit, judge(visit, readings), forward);
      else void settleSampled(visit, sample, readings, forward);
    } catch (error) {
      breakOffRequest(error, req, res);
    }
  }

  return (req, res, forward) => {
    try {
      const arrival = arrive(stages, req, res);
      if (arrival.kind === 'answered') {
        metrics.count('guard_gateway_requests_total', arrival.outcome);
        const send = arrival.outcome === 'refused' ? serveLast : serve;
        send(req, res, arrival.answer, limits.lingerMs);
        return;
      }
      const { visit } = arrival;
      for (const answerEarly of earlyAnswers) {
        const answer = answerEarly(visit);
        if (answer === undefined) continue;
        enforce(visit, servedPlan(answer), forward);
        return;
      }
      const isTimed = asksForTimes(visit);
      if (tracing === undefined && !isTimed) {
        proceed(visit, forward);
        return;
      }
      const followedVisit = follow(visit, forward, tracing, isTimed);
      proceed(followedVisit.visit, followedVisit.forward);
    } catch (error) {
      breakOffRequest(error, req, res);
    }
  };
}

/** Carries out the plan. It also records the event, but `forward` records the event of a forwarded request. */
function enforcePlan(stages: Stages, visit: Visit, plan: RequestPlan, forward: Forward): void {
  const { req, res } = visit;
  try {
    if (req.socket.destroyed) {
      eventOf(plan)?.record(VISITOR_GONE);
      abandon(stages, visit);
    } else if (plan.kind === 'forward') {
      forward(visit, plan.forward);
    } else {
      plan.event?.record(plan.answer.status);
      stages.metrics.count('guard_gateway_requests_total', plan.kind);
      serve(req, res, inGzip(plan.answer), stages.limits.lingerMs);
    }
  } catch (error) {
    eventOf(plan)?.record(500);
    throw error;
  }
}

/** Called when the visitor left before the decision. forward.ts handles visitors who leave later. */
function abandon({ log, metrics }: Stages, visit: Visit): void {
  metrics.count('guard_gateway_requests_total', 'aborted');
  logVisitorGone(log, visit);
}

/** Handles a fault of Guard's own code. One visitor gets no proper answer, and the process goes on. */
function breakOff(
  { log, metrics, limits }: Stages,
  error: unknown,
  req: VisitorRequest,
  res: VisitorResponse,
): void {
  logBroken(log, error);
  metrics.count('guard_gateway_requests_total', 'failed');
  if (res.headersSent || req.socket.destroyed) req.socket.destroy();
  else serve(req, res, plainAnswer(500, 'Internal error.'), limits.lingerMs);
}

function servedPlan(answer: OwnAnswer): RequestPlan {
  return { kind: 'served', answer, event: undefined };
}

/** The field that asks for Server-Timing. Like every X-Guard-* field of a visitor, it never reaches the origin. */
const SERVER_TIMING_REQUEST_FIELD = 'x-guard-server-timing';

/**
 * Whether the answer says how long its stages took. Only a program on this machine that connects directly gets the
 * times, because the time of a decision can show a visitor how Guard decides.
 */
function asksForTimes({ client, req }: Visit): boolean {
  return (
    client.from === 'peer' &&
    (client.ip === '127.0.0.1' || client.ip === '::1') &&
    req.headers[SERVER_TIMING_REQUEST_FIELD] !== undefined
  );
}
