import type { Log, MaybePromise } from '@guard/config/contract/ports';
import type { RequestTrace, Tracing } from '@guard/config/contract/tracing';
import { readingsOf } from '@guard/config/matching/path-readings';
import type { Question, QuestionReading } from './read-question.ts';
import { pathOf } from '../arrive/arrive.ts';
import type { ClientOf } from '../arrive/client-ip.ts';
import { isCollectorPath, type Sites } from '../arrive/sites.ts';
import type { GatewayLimits } from '../base/limits.ts';
import type { Judge } from '../judge/judge.ts';
import { eventOf, refuseUnreadable, type RequestPlan } from '../judge/request-plan.ts';
import type { Connection } from '../listen/connection.ts';
import { type OwnAnswer, plainAnswer } from '../message/own-answer.ts';

/** What forward-auth shares with the front proxy to decide. */
export interface DescribedStages {
  readonly limits: GatewayLimits;
  readonly sites: Sites;
  readonly clientOf: ClientOf;
  readonly judge: Judge;
  readonly throttledLog: Log;
  /** Undefined when nothing is traced. */
  readonly tracing?: Tracing | undefined;
}

/** What Guard does with the visitor's request, or which field is missing in the proxy's question. */
export type DescribedPlan = RequestPlan | { readonly kind: 'incomplete'; readonly missing: string };

/** Decides about the request that a trusted peer describes, and records the event. Never rejects. */
type JudgeDescribed = (
  reading: QuestionReading,
  connection: Connection,
) => MaybePromise<DescribedPlan>;

export function createJudgeDescribed(stages: DescribedStages): JudgeDescribed {
  const { sites, clientOf, judge, throttledLog, tracing } = stages;

  function planOf(
    { method, scheme, host, target, headers }: Question,
    connection: Connection,
  ): MaybePromise<RequestPlan> {
    const site = sites.match(host);
    if (site === undefined) return refusedPlan(421, 'No such site here.');

    const path = pathOf(target);
    const readings = readingsOf(path);
    if (readings === undefined) return refuseUnreadable(throttledLog, connection);
    // The proxy has to pass these paths on to Guard, but did not recognise this spelling. The origin must not get the
    // path.
    if (isCollectorPath(readings)) return refusedPlan(404, 'Not found.');

    const client = { ...clientOf(connection, headers), scheme };
    const inquiry = { req: { method, headers }, connection, client, site, host, target };
    if (tracing === undefined) return judge(inquiry, readings);

    const description = { method, path, scheme, host, httpVersion: undefined, headers };
    const trace = tracing({ ...description, site: site.name, trusted: connection.trusted });
    return whenKnown(
      judge({ ...inquiry, ...(trace.ids && { trace: trace.ids }) }, readings),
      (plan) => {
        traceDecision(trace, plan);
        return plan;
      },
    );
  }

  return (reading, connection) => {
    switch (reading.kind) {
      case 'incomplete':
        return reading;
      case 'malformed':
        return refusedPlan(reading.status, reading.why);
      case 'question':
        return whenKnown(planOf(reading.question, connection), recordEvent);
    }
  };
}

function refusedPlan(status: number, why: string): RequestPlan {
  return { kind: 'refused', answer: plainAnswer(status, why), event: undefined };
}

/** The trace ends with the decision, because Guard does not learn what the proxy does after it. */
function traceDecision(trace: RequestTrace, plan: RequestPlan): void {
  if (plan.kind === 'forward') {
    trace.decided(plan.forward.decision, plan.forward.requestId);
    trace.ended(undefined);
  } else {
    trace.decided('served', undefined);
    trace.ended(plan.answer.status);
  }
}

/** Guard does not learn what the proxy does after a decision. So the event records the decision itself. */
function recordEvent(plan: RequestPlan): RequestPlan {
  eventOf(plan)?.record();
  return plan;
}

/** Calls `next` with the value: at once when the value is known, or else when its promise resolves. */
export function whenKnown<T, R>(value: MaybePromise<T>, next: (value: T) => R): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Logs why a proxy gets no decision. Returns the answer that it gets. */
export function refusePeer(
  throttledLog: Log,
  fields: { readonly peer: string; readonly reason: string },
  status: 400 | 403,
): OwnAnswer {
  throttledLog('warn', 'forward_auth_refused', fields);
  return plainAnswer(status, 'Refused; see the log of Guard.');
}
