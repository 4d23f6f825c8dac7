import type { Log, MaybePromise, Metrics } from '@guard/config/contract/ports';
import { logBroken } from '../base/throttled-log.ts';
import { denial, type HeldAnswers, passReply } from './answer.ts';
import {
  createJudgeDescribed,
  type DescribedPlan,
  type DescribedStages,
  refusePeer,
  whenKnown,
} from './judge-described.ts';
import { type Peer, PEERS, readRoute } from './peers.ts';
import { readQuestion } from './read-question.ts';
import type { Handle } from '../forward/forward-ports.ts';
import type { ConnectionOf } from '../listen/connection.ts';
import type { VisitorRequest, VisitorResponse } from '../message/message.ts';
import { type OwnAnswer, plainAnswer, serve } from '../message/own-answer.ts';

/** Answers one request of a proxy. Never throws. */
export type ForwardAuth = (req: VisitorRequest, res: VisitorResponse) => void;

interface ForwardAuthStages extends DescribedStages {
  readonly connectionOf: ConnectionOf;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly heldAnswers: HeldAnswers;
}

/** The answer that a proxy gets, and the outcome that is counted. */
interface ProxyReply {
  readonly outcome: 'passed' | 'denied' | 'fetched' | 'refused' | 'failed';
  readonly answer: OwnAnswer;
}

/** A proxy that fetches answers describes its requests as nginx does. */
const FETCHING_PEER = PEERS.nginx;

/** After the denied check the visitor may have passed a challenge, or a budget may have room again. */
const TRY_AGAIN_ANSWER = plainAnswer(503, 'Please try again.', 'Retry-After', '1');

/**
 * The side of the gateway that other proxies ask. They have the connections to the visitor and to the origin, and pass
 * the request on when Guard allows it. Site, protection, validator and fail policy are the same as in the front proxy.
 *
 * Only a trusted peer gets an answer. A visitor who reaches this listener directly could describe any request, from
 * any address.
 */
export function createForwardAuth(stages: ForwardAuthStages, handle: Handle): ForwardAuth {
  const { connectionOf, limits, metrics, heldAnswers, throttledLog } = stages;
  const judgeDescribed = createJudgeDescribed(stages);

  function sendReply(
    req: VisitorRequest,
    res: VisitorResponse,
    { outcome, answer }: ProxyReply,
  ): void {
    const isGone = req.socket.destroyed;
    metrics.count('guard_forward_auth_requests_total', isGone ? 'aborted' : outcome);
    if (!isGone) serve(req, res, answer, limits.lingerMs);
  }

  function refuse(reason: string, status: 400 | 403, peer: string): ProxyReply {
    return { outcome: 'refused', answer: refusePeer(throttledLog, { peer, reason }, status) };
  }

  function failedReply(error: unknown): ProxyReply {
    logBroken(stages.log, error);
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
        return { outcome: 'denied', answer: denial(peer, plan.answer, heldAnswers) };
    }
  }

  /** The reply to the visitor's request itself, after its check was denied. */
  function replyToVisitor(plan: DescribedPlan, peerIp: string): ProxyReply {
    if (plan.kind === 'incomplete') return refuse(`no ${plan.missing}`, 400, peerIp);
    return { outcome: 'fetched', answer: plan.kind === 'forward' ? TRY_AGAIN_ANSWER : plan.answer };
  }

  function replyTo(req: VisitorRequest): MaybePromise<ProxyReply> | 'handed over' {
    const connection = connectionOf(req.socket);
    const { trusted, peerIp } = connection;
    if (!trusted) return refuse('not in trusted_proxies', 403, peerIp);

    const route = readRoute(req.url ?? '');
    switch (route.kind) {
      case 'check': {
        const { peer, target } = route;
        const plan = judgeDescribed(readQuestion(req, peer, target, limits), connection);
        return whenKnown(plan, (decidedPlan) => replyOf(decidedPlan, peer, peerIp));
      }
      case 'answer': {
        const id = req.headers['x-guard-answer'];
        const answer = typeof id === 'string' ? heldAnswers.take(id) : undefined;
        if (answer !== undefined) return { outcome: 'fetched', answer };
        const plan = judgeDescribed(readQuestion(req, FETCHING_PEER, '', limits), connection);
        return whenKnown(plan, (decidedPlan) => replyToVisitor(decidedPlan, peerIp));
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
          sendReply(req, res, { outcome: 'refused', answer: plainAnswer(404, 'Not found.') });
        });
      } else if (reply instanceof Promise) {
        void reply.catch(failedReply).then((lateReply) => {
          sendReply(req, res, lateReply);
        });
      } else {
        sendReply(req, res, reply);
      }
    } catch (error) {
      sendReply(req, res, failedReply(error));
    }
  };
}
