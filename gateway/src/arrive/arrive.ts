import type { ClientOf } from './client-ip.ts';
import type { ConnectionOf } from '../listen/connection.ts';
import { plainAnswer } from '../enforce/enforce.ts';
import { readFraming } from './framing.ts';
import { readStreamFraming, StreamRequest } from '../http2/stream-request.ts';
import type { GatewayLimits } from '../limits.ts';
import type { Sites } from './match-site.ts';
import type { VisitorRequest, VisitorResponse } from '../message.ts';
import type { ServedAnswer } from '../judge/plan-answer.ts';
import { passesBefore } from '../forward/proxy-headers.ts';
import type { Visit } from '../visit.ts';

/** A request that is understood, or the answer it gets for not being one. */
export type Arrival =
  | { readonly kind: 'visit'; readonly visit: Visit }
  | {
      readonly kind: 'turned away';
      readonly outcome: 'refused' | 'unknown_host';
      readonly answer: ServedAnswer;
    };

export interface Reception {
  readonly limits: GatewayLimits;
  readonly sites: Sites;
  readonly connectionOf: ConnectionOf;
  readonly clientOf: ClientOf;
}

/** More than this many gateways in a row are one that forwards to itself. */
const MAX_PASSES = 5;

/** Everything that can be said about a request before anybody is asked about it. */
export function arrive(reception: Reception, req: VisitorRequest, res: VisitorResponse): Arrival {
  const { limits, sites, connectionOf, clientOf } = reception;
  const framing =
    req instanceof StreamRequest ? readStreamFraming(req, limits) : readFraming(req, limits);
  if (framing.kind === 'refused') return refuse(framing.status, framing.why);

  const site = sites.match(framing.host);
  if (site === undefined) {
    const answer = plainAnswer(421, 'No such site here.');
    return { kind: 'turned away', outcome: 'unknown_host', answer };
  }
  if (passesBefore(req.headers.via) >= MAX_PASSES) return refuse(508, 'Loop detected.');

  const connection = connectionOf(req.socket);
  if (connection.underway.size >= limits.maxPipelined) {
    return refuse(503, 'Too many requests on one connection.');
  }
  const { host, target, hasBody } = framing;
  const client = clientOf(connection, req.headers);
  return { kind: 'visit', visit: { req, res, connection, client, site, host, target, hasBody } };
}

function refuse(status: number, why: string): Arrival {
  return { kind: 'turned away', outcome: 'refused', answer: plainAnswer(status, why) };
}
