import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log, MaybePromise, Metrics, ValidateOutcome } from '@guard/config/contract/ports';
import { readingsOf } from '@guard/config/matching/path-readings';
import { arrive, type Reception } from './arrive.ts';
import { ask } from './ask.ts';
import { collect, isCollectorPath } from './collector-path.ts';
import { plainAnswer, serve } from './enforce.ts';
import type { FailPolicy } from './fail-policy.ts';
import { planAnswer, type ServedAnswer } from './plan-answer.ts';
import { type Onward, type Passage, UNPROTECTED, type Visit } from './visit.ts';

/** The stages, built once. */
export interface Stages extends Reception {
  readonly observe: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly failPolicy: FailPolicy;
}

/** Takes one request from start to end; what is admitted goes `onward`. Never throws. */
export type Handle = (req: IncomingMessage, res: ServerResponse, onward: Onward) => void;

/** How a request goes on: to its origin, or no further than here. */
type Fate =
  | { readonly kind: 'onward'; readonly passage: Passage }
  | { readonly kind: 'served' | 'refused'; readonly answer: ServedAnswer };

const TO_ORIGIN: Fate = { kind: 'onward', passage: UNPROTECTED };

/** One request: arrive, ask, enforce or forward. */
export function createHandle(stages: Stages): Handle {
  const { limits, metrics, observe, failPolicy } = stages;

  function judge(visit: Visit): MaybePromise<Fate> {
    const path = pathOf(visit.target);
    const readings = readingsOf(path);
    if (isCollectorPath(readings)) {
      return collect(visit, path, limits).then((answer) => ({ kind: 'served', answer }));
    }
    if (!visit.site.isProtected(readings)) return TO_ORIGIN;

    const startedAt = performance.now();
    const outcome = ask(visit, limits.askTimeoutMs);
    return outcome instanceof Promise
      ? outcome.then((late) => decide(visit, late, startedAt))
      : decide(visit, outcome, startedAt);
  }

  function decide(visit: Visit, outcome: ValidateOutcome, startedAt: number): Fate {
    const ruling = failPolicy(visit, outcome, startedAt);
    const { requestId } = ruling;
    if (observe) return pass('observe', requestId);
    switch (ruling.kind) {
      case 'open':
        return pass('fail_open', requestId);
      case 'closed':
        return { kind: 'refused', answer: plainAnswer(403, 'Request denied.') };
      case 'enforce': {
        const plan = planAnswer(ruling.response);
        return plan.kind === 'serve'
          ? { kind: 'served', answer: plan.answer }
          : {
              kind: 'onward',
              passage: { decision: 'allow', requestId, additions: plan.additions },
            };
      }
    }
  }

  function carryOut(visit: Visit, fate: Fate, onward: Onward): void {
    const { req, res } = visit;
    if (req.socket.destroyed) {
      metrics.count('guard_gateway_requests_total', 'aborted');
    } else if (fate.kind === 'onward') {
      onward(visit, fate.passage);
    } else {
      metrics.count('guard_gateway_requests_total', fate.kind);
      serve(req, res, fate.answer, limits.lingerMs);
    }
  }

  /** A fault of our own costs one visitor an answer, never the process. */
  function broken(error: unknown, req: IncomingMessage, res: ServerResponse): void {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    stages.log('error', 'gateway_internal_error', { detail });
    metrics.count('guard_gateway_requests_total', 'failed');
    if (res.headersSent || req.socket.destroyed) req.socket.destroy();
    else serve(req, res, plainAnswer(500, 'Internal error.'), limits.lingerMs);
  }

  return (req, res, onward) => {
    try {
      const arrival = arrive(stages, req, res);
      if (arrival.kind === 'turned away') {
        metrics.count('guard_gateway_requests_total', arrival.outcome);
        serve(req, res, arrival.answer, limits.lingerMs);
        return;
      }
      const { visit } = arrival;
      const fate = judge(visit);
      if (!(fate instanceof Promise)) {
        carryOut(visit, fate, onward);
        return;
      }
      fate
        .then((late) => {
          carryOut(visit, late, onward);
        })
        .catch((error: unknown) => {
          broken(error, req, res);
        });
    } catch (error) {
      broken(error, req, res);
    }
  };
}

function pass(decision: Passage['decision'], requestId: string): Fate {
  return { kind: 'onward', passage: { decision, requestId, additions: undefined } };
}

function pathOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark);
}
