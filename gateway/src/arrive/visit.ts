import type { Protocol } from '@guard/config/contract/event';
import type { Client } from './client-ip.ts';
import type { Connection } from '../listen/connection.ts';
import type { ServedSite } from './match-site.ts';
import type { VisitorRequest, VisitorResponse } from '../message/message.ts';
import type { AnswerAdditions } from '../judge/plan-answer.ts';
import type { OpenEvent } from '../judge/open-event.ts';

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

/** What the origin is told about a visitor. Each is empty where it is not known, or there is none. */
export interface VisitorFacts {
  /** Digest of the session: config/contract/session-digest. */
  readonly session: string;
  /** A crawler, by RFC 9651: `verified` or `claimed`, and in parameters its name and id. */
  readonly crawler: string;
}

/**
 * Why a request goes on to the origin, which is told so in X-Guard-Decision:
 * `allow` by the validator, `not_matched` because nobody was to be asked (contract 2.2), `fail_open`
 * because nobody answered (contract 7.1), `observe` because nothing is enforced.
 */
export interface Passage {
  readonly decision: 'allow' | 'not_matched' | 'fail_open' | 'observe';
  /** Id of the decision's event; undefined when there was none. */
  readonly requestId: string | undefined;
  readonly visitor: VisitorFacts;
  /** What the validator wants on the answer of the origin. */
  readonly additions: AnswerAdditions | undefined;
  /** The code that takes the request on records it. Undefined where this gateway has no event to record. */
  readonly event: OpenEvent | undefined;
}

export const NOTHING_KNOWN: VisitorFacts = { session: '', crawler: '' };

export const UNPROTECTED: Passage = {
  decision: 'not_matched',
  requestId: undefined,
  visitor: NOTHING_KNOWN,
  additions: undefined,
  event: undefined,
};

/** Takes an admitted request on: forward.ts, or upgrade.ts. */
export type Onward = (visit: Visit, passage: Passage) => void;
