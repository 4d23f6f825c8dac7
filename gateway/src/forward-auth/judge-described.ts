import type { Log, MaybePromise } from '@guard/config/contract/ports';
import { readingsOf } from '@guard/config/matching/path-readings';
import type { ClientOf } from '../arrive/client-ip.ts';
import { isCollectorPath } from '../judge/collector/collector-path.ts';
import type { Connection } from '../listen/connection.ts';
import { plainAnswer } from '../message/own-answer.ts';
import { pathOf } from '../arrive/visit.ts';
import type { Judge } from '../judge/judge.ts';
import { type RequestPlan, refuseUnreadable } from '../judge/request-plan.ts';
import type { GatewayLimits } from '../base/limits.ts';
import type { Sites } from '../arrive/match-site.ts';
import type { VisitorRequest } from '../message/message.ts';
import type { Peer } from './peers.ts';
import { type Question, readQuestion } from './read-question.ts';

/** What forward-auth shares with the front proxy to decide. */
export interface DescribedStages {
  readonly limits: GatewayLimits;
  readonly sites: Sites;
  readonly clientOf: ClientOf;
  readonly judge: Judge;
  readonly faults: Log;
}

/** What becomes of the visitor's request; or what the proxy has not said about it. */
export type DescribedPlan = RequestPlan | { readonly kind: 'incomplete'; readonly missing: string };

/** Decides about the request that a trusted peer describes. Never rejects. */
export type JudgeDescribed = (
  req: VisitorRequest,
  connection: Connection,
  peer: Peer,
  target: string,
) => MaybePromise<DescribedPlan>;

/** The stages of the front proxy, on a request that is described instead of sent. */
export function createJudgeDescribed(stages: DescribedStages): JudgeDescribed {
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
    // The proxy hands these paths over as they are. A spelling that it missed still reaches no origin.
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
