import type { ValidateOutcome } from '@guard/config/contract/ports';
import { presentedSessions } from '@guard/config/contract/presented-session';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { UUID } from '@guard/config/contract/uuid';
import type { ForeignValidateResponse } from '@guard/config/contract/validate-response';
import type { Inquiry } from '../arrive/visit.ts';

const MAX_NAME = 128;

/** What the origin is told about a visitor. Each is empty where it is not known, or there is none. */
export interface VisitorFacts {
  /** Digest of the session: config/contract/session-digest. */
  readonly session: string;
  /** A crawler, by RFC 9651: `verified` or `claimed`, and in parameters its name and id. */
  readonly crawler: string;
}

export const NOTHING_KNOWN: VisitorFacts = { session: '', crawler: '' };

/** What the origin is told about the visitor, by an answer and what is known beside it. */
export function visitorFacts({ req }: Inquiry, outcome: ValidateOutcome): VisitorFacts {
  if (outcome.kind !== 'answered') return NOTHING_KNOWN;
  const { response, known } = outcome;
  const session = known?.session ?? sessionDigest(sessionByWire(response, req.headers.cookie));
  const { crawler } = response;
  // Whoever allows access has verified it (contract 2.4); the wire says nothing about the others.
  const verified = known?.crawlerVerified ?? crawler?.access_allowed === true;
  return {
    session,
    crawler: crawler === undefined ? '' : crawlerField(crawler.id, crawler.name, verified),
  };
}

/**
 * Contract 2.2: `_guard` is among the cookies of an answer when the request did not present the current
 * session, and never for a crawler. So it is that one, or else the one that was presented. Of several that were
 * presented, the answer does not say which one is current, and another site can have set one: then it is none.
 */
function sessionByWire(response: ForeignValidateResponse, cookie: string | undefined): string {
  const given = response.cookies?.find(({ name }) => name === '_guard');
  if (given !== undefined) return given.value;
  const [presented = '', ...others] = presentedSessions(undefined, cookie);
  const isClear = others.length === 0 && response.crawler === undefined;
  return isClear ? presented.toLowerCase() : '';
}

/**
 * A structured field (RFC 9651 section 3.3), so that nobody reads the name without the word before it.
 * A validator that we did not build chooses id and name: what does not fit the form is left out.
 */
function crawlerField(id: string, name: string, verified: boolean): string {
  const said = name
    .slice(0, MAX_NAME)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, '\\$&');
  const key = UUID.test(id) ? `;id="${id}"` : '';
  return `${verified ? 'verified' : 'claimed'};name="${said}"${key}`;
}
