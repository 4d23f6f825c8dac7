import type { Protocol } from '@guard/config/contract/event';
import type { Client } from './client-ip.ts';
import type { Connection } from '../listen/connection.ts';
import type { ServedSite } from './match-site.ts';
import type { VisitorRequest, VisitorResponse } from '../message/message.ts';

/** What a decision is made about: a visit, or what another proxy says about a request of its own. */
export interface Inquiry {
  readonly req: Pick<VisitorRequest, 'method' | 'headers'>;
  readonly connection: Connection;
  readonly client: Client;
  readonly site: ServedSite;
  /** Host header as sent, its characters checked. */
  readonly host: string;
  /** Origin-form target as sent. */
  readonly target: string;
  /** Absent where the request did not come here. */
  readonly protocol?: Protocol;
  /** DecisionEvent.body; absent where none is sampled. */
  readonly bodySample?: string;
}

/** What was read of a body before anybody was asked: the origin gets it first. */
export interface BodyOpening {
  /** The bytes, to whoever asks first. */
  take(): Buffer;
}

/** One request on its way through the gateway, as far as it is understood. */
export interface Visit extends Inquiry {
  readonly req: VisitorRequest;
  readonly res: VisitorResponse;
  readonly hasBody: boolean;
  /** Absent where nothing was read. */
  readonly opening?: BodyOpening;
}

/** A request target without its query. */
export function pathOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark);
}
