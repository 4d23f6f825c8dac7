import type {
  EventSink,
  MaybePromise,
  ValidateContext,
  ValidateOutcome,
} from '@guard/config/contract/ports';
import type { TransportFacts } from '@guard/config/contract/transport';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { type LateReason, Patience } from '@guard/config/time/patience';
import type { Inquiry } from '../arrive/arrive.ts';
import { failureAnswer } from './failure-answer.ts';
import type { FailPolicy } from './fail-policy.ts';
import { OpenEvent } from './open-event.ts';
import {
  type ForwardPlan,
  NOTHING_KNOWN,
  planAnswer,
  type RequestPlan,
  UNPROTECTED_PLAN,
  visitorFacts,
} from './request-plan.ts';
import { singleValues } from '../message/message.ts';
import { plainAnswer } from '../message/own-answer.ts';

/**
 * Decides about one request. `readings` are the ways to read its path (config/matching/path-readings). Asks the
 * validator when the path is protected, and applies the fail policy to the outcome. Answers in the same turn when
 * the validator does. Never rejects. Throws only after a fault of the gateway itself.
 */
export type Judge = (inquiry: Inquiry, readings: readonly string[]) => MaybePromise<RequestPlan>;

const FORWARD_UNPROTECTED: RequestPlan = { kind: 'forward', forward: UNPROTECTED_PLAN };

/** Front proxy and forward-auth use the same judge. */
export function createJudge(
  failPolicy: FailPolicy,
  askTimeoutMs: number,
  events: EventSink,
): Judge {
  const patience = new Patience(askTimeoutMs);

  function decide(inquiry: Inquiry, outcome: ValidateOutcome, startedAt: number): RequestPlan {
    const ruling = failPolicy(inquiry, outcome, startedAt);
    const { requestId } = ruling;
    const knownFacts = outcome.kind === 'answered' ? outcome.extras : undefined;
    if (ruling.event && inquiry.trace) ruling.event.trace = inquiry.trace;
    const { observe } = inquiry.site;
    const holdBack = observe ? undefined : knownFacts?.holdBack;
    const event = ruling.event && new OpenEvent(ruling.event, events, knownFacts?.ended, holdBack);
    if (observe) {
      const visitor = visitorFacts(inquiry, outcome);
      return toOrigin({ decision: 'observe', requestId, visitor, additions: undefined, event });
    }
    switch (ruling.kind) {
      case 'open': {
        const visitor = NOTHING_KNOWN;
        return toOrigin({ decision: 'fail_open', requestId, visitor, additions: undefined, event });
      }
      case 'closed':
        return { kind: 'refused', answer: plainAnswer(403, 'Request denied.'), event };
      case 'busy': {
        const { answer, reference } = failureAnswer(inquiry, 503);
        ruling.event.reference = reference;
        return { kind: 'refused', answer, event };
      }
      case 'enforce': {
        const plan = planAnswer(ruling.response, knownFacts);
        if (plan.kind === 'serve') return { kind: 'served', answer: plan.answer, event };
        const visitor = visitorFacts(inquiry, outcome);
        return toOrigin({
          decision: 'allow',
          requestId,
          visitor,
          additions: plan.additions,
          event,
        });
      }
    }
  }

  return (inquiry, readings) => {
    const { site, req } = inquiry;
    if (!site.isProtected(readings, req.method)) return FORWARD_UNPROTECTED;

    const startedAt = performance.now();
    const outcome = ask(inquiry, patience);
    return outcome instanceof Promise
      ? outcome.then((lateOutcome) => decide(inquiry, lateOutcome, startedAt))
      : decide(inquiry, outcome, startedAt);
  };
}

function toOrigin(plan: ForwardPlan): RequestPlan {
  return { kind: 'forward', forward: plan };
}

/**
 * Asks the site's validator once (contract 4.1 rule 1). Answers in the same turn when the validator does. Otherwise
 * an outcome comes before the time limit. Never rejects. Throws when the gateway itself fails to describe the
 * request. Then the request must not pass.
 */
function ask(visit: Inquiry, patience: Patience): MaybePromise<ValidateOutcome> {
  const { config } = visit.site;
  const request = questionOf(visit);
  const context = contextOf(visit);
  try {
    const outcome = config.validate(request, context);
    if (!(outcome instanceof Promise)) return outcome;
    // The client of a remote validator has its own time limit.
    const safeOutcome = outcome.catch(brokenOutcome);
    return config.validator === 'remote'
      ? safeOutcome
      : patience.within(safeOutcome, lateOutcomeOf);
  } catch {
    return brokenOutcome();
  }
}

function contextOf(inquiry: Inquiry): ValidateContext {
  const { site, client, protocol, bodySample: body } = inquiry;
  const transport = transportOfVisitor(inquiry);
  return {
    ...site.contexts[client.from][protocol ?? 'described'],
    ...(transport && { transport }),
    ...(body !== undefined && { body }),
  };
}

function lateOutcomeOf(lateReason: LateReason): ValidateOutcome {
  const reason = lateReason === 'busy' ? 'overloaded' : 'timeout';
  return { kind: 'failed', reason, detail: 'no answer in time' };
}

/**
 * By contract the validator never throws. If it does, only this request failed so far, and its visitor may have caused
 * it. So it counts as a rejection, and the request does not pass.
 */
function brokenOutcome(): ValidateOutcome {
  return { kind: 'rejected', status: 409, type: 'request_not_judged' };
}

/**
 * The question about the visitor's request (contract 2.1). The URL has the path exactly as it will reach the
 * origin. `cookie` is left out, because the validator reads `_guard` from the Cookie header.
 */
function questionOf({ req, client, host, target }: Inquiry): ValidateRequest {
  const { referer } = req.headers;
  const facts = {
    url: `${client.scheme}://${host}${target}`,
    ip: client.ip,
    method: req.method ?? 'GET',
    headers: singleValues(req.headers),
  };
  return referer === undefined ? facts : { ...facts, referrer: referer };
}

/**
 * What the TLS handshake showed about the visitor. Undefined when a proxy made the connection, because the
 * handshake of a proxy says nothing about the visitor.
 */
export function transportOfVisitor({
  client,
  connection,
}: Pick<Inquiry, 'client' | 'connection'>): TransportFacts | undefined {
  return client.from === 'peer' && !connection.trusted ? connection.transport : undefined;
}
