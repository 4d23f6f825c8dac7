import type { Log, MaybePromise, Metrics } from '@guard/config/contract/ports';
import { readingsOf } from '@guard/config/matching/path-readings';
import { pathOf } from '../arrive/arrive.ts';
import type { ClientOf } from '../arrive/client-ip.ts';
import { isCollectorPath, type Sites } from '../arrive/sites.ts';
import type { GatewayLimits } from '../base/limits.ts';
import { denial, type HeldAnswers, passReply } from './answer.ts';
import { type Peer, PEERS, readRoute } from './peers.ts';
import { type Question, readQuestion } from './read-question.ts';
import type { Handle } from '../forward/forward-ports.ts';
import type { Judge } from '../judge/judge.ts';
import { eventOf, refuseUnreadable, type RequestPlan } from '../judge/request-plan.ts';
import type { Connection, ConnectionOf } from '../listen/connection.ts';
import type { VisitorRequest, VisitorResponse } from '../message/message.ts';
import { type OwnAnswer, plainAnswer, serve } from '../message/own-answer.ts';

/** Answers one request of a proxy. Never throws. */
export type ForwardAuth = (req: VisitorRequest, res: VisitorResponse) => void;

interface ForwardAuthStages extends DescribedStages {
  readonly connectionOf: ConnectionOf;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly held: HeldAnswers;
}

/** The answer that a proxy gets, and the outcome that is counted. */
interface ProxyReply {
  readonly outcome: 'passed' | 'denied' | 'fetched' | 'refused' | 'failed';
  readonly answer: OwnAnswer;
}

/** A proxy that fetches answers describes its requests as nginx does. */
const FETCHER = PEERS.nginx;

/** After the denied check the visitor may have passed a challenge, or a budget may have room again. */
const TRY_AGAIN = plainAnswer(503, 'Please try again.', 'Retry-After', '1');

/**
 * The side of the gateway that other proxies ask. They hold the connections to the visitor and to the origin, and
 * pass the request on when Guard allows it. Site, protection, validator and fail policy are the same as in the
 * front proxy.
 *
 * Only a trusted peer gets an answer. A visitor who reaches this listener directly could describe any request, from
 * any address.
 */
export function createForwardAuth(stages: ForwardAuthStages, handle: Handle): ForwardAuth {
  const { connectionOf, limits, metrics, held, faults } = stages;
  const judgeDescribed = createJudgeDescribed(stages);

  function settle(
    req: VisitorRequest,
    res: VisitorResponse,
    { outcome, answer }: ProxyReply,
  ): void {
    const gone = req.socket.destroyed;
    metrics.count('guard_forward_auth_requests_total', gone ? 'aborted' : outcome);
    if (!gone) serve(req, res, answer, limits.lingerMs);
  }

  function refuse(reason: string, status: 400 | 403, peer: string): ProxyReply {
    faults('warn', 'forward_auth_refused', { peer, reason });
    return { outcome: 'refused', answer: plainAnswer(status, 'Refused; see the log of Guard.') };
  }

  function broken(error: unknown): ProxyReply {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    stages.log('error', 'gateway_internal_error', { detail });
    return { outcome: 'failed', answer: plainAnswer(500, 'Internal error.') };
  }

  /** The reply to a check, in the form that the peer understands. */
  function replyOf(plan: DescribedPlan, peer: Peer, peerIp: string): ProxyReply {
    switch (plan.kind) {
      case 'incomplete':
        return refuse(`no ${plan.missing}`, 400, peerIp);
      case 'forward':
        return { outcome: 'passed', answer: passReply(peer, plan.forward) };
      case 'served':
      case 'refused':
        return { outcome: 'denied', answer: denial(peer, plan.answer, held) };
    }
  }

  /** The reply to the visitor's request itself, after its check was denied. */
  function replyToVisitor(plan: DescribedPlan, peerIp: string): ProxyReply {
    if (plan.kind === 'incomplete') return refuse(`no ${plan.missing}`, 400, peerIp);
    return { outcome: 'fetched', answer: plan.kind === 'forward' ? TRY_AGAIN : plan.answer };
  }

  function replyTo(req: VisitorRequest): MaybePromise<ProxyReply> | 'handed over' {
    const connection = connectionOf(req.socket);
    const { trusted, peerIp } = connection;
    if (!trusted) return refuse('not in trusted_proxies', 403, peerIp);

    const route = readRoute(req.url ?? '');
    switch (route.kind) {
      case 'check': {
        const { peer, target } = route;
        const plan = judgeDescribed(req, connection, peer, target);
        return whenKnown(plan, (known) => replyOf(recorded(known), peer, peerIp));
      }
      case 'answer': {
        const id = req.headers['x-guard-answer'];
        const answer = typeof id === 'string' ? held.take(id) : undefined;
        if (answer !== undefined) return { outcome: 'fetched', answer };
        const plan = judgeDescribed(req, connection, FETCHER, '');
        return whenKnown(plan, (known) => replyToVisitor(recorded(known), peerIp));
      }
      case 'handed-over':
        return 'handed over';
    }
  }

  return (req, res) => {
    try {
      const reply = replyTo(req);
      if (reply === 'handed over') {
        handle(req, res, (_visit, { event }) => {
          event?.record(404);
          settle(req, res, { outcome: 'refused', answer: plainAnswer(404, 'Not found.') });
        });
      } else if (reply instanceof Promise) {
        void reply.catch(broken).then((late) => {
          settle(req, res, late);
        });
      } else {
        settle(req, res, reply);
      }
    } catch (error) {
      settle(req, res, broken(error));
    }
  };
}

/** Guard does not learn what the proxy does after a decision. So the event records the decision itself. */
function recorded(plan: DescribedPlan): DescribedPlan {
  if (plan.kind !== 'incomplete') eventOf(plan)?.record();
  return plan;
}

/** Calls `next` in the same turn when the value is there already. */
function whenKnown<T, R>(value: MaybePromise<T>, next: (value: T) => R): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What forward-auth shares with the front proxy to decide. */
interface DescribedStages {
  readonly limits: GatewayLimits;
  readonly sites: Sites;
  readonly clientOf: ClientOf;
  readonly judge: Judge;
  readonly faults: Log;
}

/** What happens to the visitor's request; or the field that is missing in the proxy's question. */
type DescribedPlan = RequestPlan | { readonly kind: 'incomplete'; readonly missing: string };

/** Decides about the request that a trusted peer describes. Never rejects. */
type JudgeDescribed = (
  req: VisitorRequest,
  connection: Connection,
  peer: Peer,
  target: string,
) => MaybePromise<DescribedPlan>;

/** Runs the stages of the front proxy for a request that a proxy describes. */
function createJudgeDescribed(stages: DescribedStages): JudgeDescribed {
  const { limits, sites, clientOf, judge, faults } = stages;

  function planOf(
    { method, scheme, host, target, headers }: Question,
    connection: Connection,
    req: VisitorRequest,
  ): MaybePromise<RequestPlan> {
    const site = sites.match(host);
    if (site === undefined) return refused(421, 'No such site here.');

    const readings = readingsOf(pathOf(target));
    if (readings === undefined) return refuseUnreadable(faults, connection);
    // The proxy passes these paths on to Guard. A spelling that it did not recognise must not reach the origin
    // either.
    if (isCollectorPath(readings)) return refused(404, 'Not found.');

    const client = { ...clientOf(connection, req.headers), scheme };
    const inquiry = { req: { method, headers }, connection, client, site, host, target };
    return judge(inquiry, readings);
  }

  return (req, connection, peer, target) => {
    const read = readQuestion(req, peer, target, limits);
    switch (read.kind) {
      case 'incomplete':
        return read;
      case 'malformed':
        return refused(read.status, read.why);
      case 'question':
        return planOf(read.question, connection, req);
    }
  };
}

function refused(status: number, why: string): RequestPlan {
  return { kind: 'refused', answer: plainAnswer(status, why), event: undefined };
}
