import type { Protocol } from '@guard/config/contract/event';
import type { TraceIds } from '@guard/config/contract/tracing';
import type { Client, ClientOf } from './client-ip.ts';
import { readFraming } from './framing.ts';
import type { ServedSite, Sites } from './sites.ts';
import type { GatewayLimits } from '../base/limits.ts';
import type { Connection, ConnectionOf } from '../listen/connection.ts';
import {
  forwardsLeft,
  passesBefore,
  protocolOf,
  type VisitorRequest,
  type VisitorResponse,
  type VisitorSocket,
} from '../message/message.ts';
import { type OwnAnswer, plainAnswer } from '../message/own-answer.ts';

/** The request that the judge decides about: a visit, or a request that another proxy describes (forward-auth). */
export interface Inquiry {
  readonly req: Pick<VisitorRequest, 'method' | 'headers'>;
  readonly connection: Connection;
  readonly client: Client;
  readonly site: ServedSite;
  /** Host header as sent, its characters checked. */
  readonly host: string;
  /** Origin-form target as sent. */
  readonly target: string;
  /** Absent in forward-auth, where the request itself does not come here. */
  readonly protocol?: Protocol;
  /** The value of DecisionEvent.body. Absent when the site takes no sample of the body. */
  readonly bodySample?: string;
  /** The value of DecisionEvent.trace. */
  readonly trace?: TraceIds;
}

/** The bytes of a body that were read for a sample. The origin gets these bytes first. */
export interface BodyOpening {
  /** Returns the bytes once. Later calls return no bytes. */
  take(): Buffer;
}

/** One request on its way through the gateway, with the values parsed so far. */
export interface Visit extends Inquiry {
  readonly req: VisitorRequest;
  readonly res: VisitorResponse;
  readonly hasBody: boolean;
  /** Absent when no byte of the body was read. */
  readonly opening?: BodyOpening;
}

/** A request target without its query. */
export function pathOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark);
}

/**
 * `visit`: the request is for a site. `answered`: the gateway answers it itself. After the outcome `refused` it reads
 * no further request from the connection.
 */
type Arrival =
  | { readonly kind: 'visit'; readonly visit: Visit }
  | {
      readonly kind: 'answered';
      readonly outcome: 'refused' | 'unknown_host' | 'served';
      readonly answer: OwnAnswer;
    };

export interface Reception {
  readonly limits: GatewayLimits;
  readonly sites: Sites;
  readonly connectionOf: ConnectionOf;
  readonly clientOf: ClientOf;
}

/**
 * A request that has passed this many gateways is in a loop. A loop exists when the origin of a gateway is the gateway
 * itself.
 */
const MAX_PASSES = 5;

/**
 * Connections on which a request was refused. The sender and the gateway may disagree about the last byte of that
 * request. So the gateway reads no request from the bytes after it.
 */
const refusedOn = new WeakSet<VisitorSocket>();

/** Finds out everything about a request that the gateway can find out without the validator. */
export function arrive(reception: Reception, req: VisitorRequest, res: VisitorResponse): Arrival {
  const { limits, sites, connectionOf, clientOf } = reception;
  if (refusedOn.has(req.socket)) return refuse(req, 400, 'This request follows a refused request.');
  const framing = readFraming(req, limits);
  if (framing.kind === 'refused') return refuse(req, framing.status, framing.why);

  const site = sites.match(framing.host);
  if (site === undefined) {
    const answer = plainAnswer(421, 'No such site here.');
    return { kind: 'answered', outcome: 'unknown_host', answer };
  }
  const { host, target, hasBody } = framing;
  // RFC 9110 section 7.6.2: the gateway itself answers an OPTIONS that it must not forward.
  if (target === '*' || forwardsLeft(req) === 0) {
    const answer: OwnAnswer = { status: 204, fields: [], body: Buffer.alloc(0) };
    return { kind: 'answered', outcome: 'served', answer };
  }
  if (passesBefore(req.headers.via) >= MAX_PASSES) return refuse(req, 508, 'Loop detected.');

  const connection = connectionOf(req.socket);
  const client = clientOf(connection, req.headers);
  const protocol = protocolOf(req);
  const visit = { req, res, connection, client, site, host, target, protocol, hasBody };
  return { kind: 'visit', visit };
}

function refuse({ socket }: VisitorRequest, status: number, why: string): Arrival {
  refusedOn.add(socket);
  return { kind: 'answered', outcome: 'refused', answer: plainAnswer(status, why) };
}
