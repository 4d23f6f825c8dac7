import type { Protocol } from '@guard/config/contract/event';
import type { Client } from './client-ip.ts';
import type { Connection } from '../listen/connection.ts';
import type { ServedSite } from './match-site.ts';
import type { VisitorRequest, VisitorResponse } from '../message/message.ts';

/** What the judge decides about: a visit, or a request that another proxy describes (forward-auth). */
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
  /** DecisionEvent.body; absent where none is sampled. */
  readonly bodySample?: string;
}

/** The bytes of a body that were read for its sample. The origin gets them first. */
export interface BodyOpening {
  /** Gives the bytes to the first caller, and nothing to a later one. */
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
