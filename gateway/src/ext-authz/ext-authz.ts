import type { Log, MaybePromise, Metrics } from '@guard/config/contract/ports';
import { logBroken } from '../base/throttled-log.ts';
import {
  createJudgeDescribed,
  type DescribedPlan,
  type DescribedStages,
  refusePeer,
  whenKnown,
} from '../forward-auth/judge-described.ts';
import { FORWARD_AUTH_LIMITS } from '../forward-auth/server.ts';
import type { Connection, ConnectionOf } from '../listen/connection.ts';
import type { VisitorSocket } from '../message/message.ts';
import { plainAnswer } from '../message/own-answer.ts';
import { deniedResponse, passResponse } from './check-response.ts';
import type { CheckRequest, CheckResponse } from './messages.ts';
import { readCheck } from './read-check.ts';

/** Answers the questions of Envoy's ext_authz. Never throws or rejects. */
export interface ExtAuthz {
  /** The refusal of a peer that is not allowed to ask. Undefined when the peer is allowed to ask. */
  readonly refuse: (peerSocket: VisitorSocket) => CheckResponse | undefined;
  /** The denial of a request whose message is too large to be read. */
  readonly denyTooLarge: () => CheckResponse;
  /** Answers a question. The result is undefined when Guard itself failed. Then the failure mode of Envoy decides. */
  readonly check: (
    request: CheckRequest,
    peerSocket: VisitorSocket,
    isGone: () => boolean,
  ) => Promise<CheckResponse | undefined>;
}

interface ExtAuthzStages extends DescribedStages {
  readonly connectionOf: ConnectionOf;
  readonly metrics: Metrics;
  readonly log: Log;
}

interface Reply {
  readonly outcome: 'passed' | 'denied' | 'refused' | 'failed';
  readonly response: CheckResponse | undefined;
}

const FIELDS_TOO_LARGE = plainAnswer(431, 'Header fields too large.');

/**
 * Envoy asks the same questions over gRPC that other proxies ask over HTTP (forward-auth.ts). Only their form differs.
 * The same peers are allowed to ask, and the decisions are the same.
 */
export function createExtAuthz(stages: ExtAuthzStages): ExtAuthz {
  const { connectionOf, metrics, log, throttledLog } = stages;
  const limits = { ...stages.limits, maxHeaderBytes: FORWARD_AUTH_LIMITS.maxHeaderBytes };
  const judgeDescribed = createJudgeDescribed(stages);

  function refusal(reason: string, status: 400 | 403, { peerIp: peer }: Connection): Reply {
    const response = deniedResponse(refusePeer(throttledLog, { peer, reason }, status));
    return { outcome: 'refused', response };
  }

  function replyOf(plan: DescribedPlan, connection: Connection): Reply {
    switch (plan.kind) {
      case 'incomplete':
        return refusal(`no ${plan.missing}`, 400, connection);
      case 'forward':
        return { outcome: 'passed', response: passResponse(plan.forward) };
      case 'served':
      case 'refused':
        return { outcome: 'denied', response: deniedResponse(plan.answer) };
    }
  }

  function replyTo(request: CheckRequest, connection: Connection): MaybePromise<Reply> {
    const plan = judgeDescribed(readCheck(request, limits), connection);
    return whenKnown(plan, (decidedPlan) => replyOf(decidedPlan, connection));
  }

  const count = (outcome: string) => {
    metrics.count('guard_forward_auth_requests_total', outcome);
  };

  return {
    refuse(peerSocket) {
      const connection = connectionOf(peerSocket);
      if (connection.trusted) return undefined;
      count('refused');
      return refusal('not in trusted_proxies', 403, connection).response;
    },
    denyTooLarge() {
      count('denied');
      return deniedResponse(FIELDS_TOO_LARGE);
    },
    async check(request, peerSocket, isGone) {
      let reply: Reply;
      try {
        reply = await replyTo(request, connectionOf(peerSocket));
      } catch (error) {
        logBroken(log, error);
        reply = { outcome: 'failed', response: undefined };
      }
      count(isGone() ? 'aborted' : reply.outcome);
      return reply.response;
    },
  };
}
