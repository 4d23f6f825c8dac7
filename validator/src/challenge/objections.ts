import type { CollectRequest, VisitorConnection } from '@guard/config/contract/ports';
import { presentedSessions } from '@guard/config/contract/presented-session';
import type { Reason } from '@guard/config/contract/reasons';
import { sessionRoot } from '@guard/config/contract/session-root';
import { connectionClass, handshakeOf, isSameClient } from '../request/client-class.ts';
import { hashUserAgent } from '../request/user-agent-hash.ts';
import type { Upload, UploadResult } from '../../page-contract/evidence.ts';
import { headerOf } from './exchange.ts';
import type { Ticket } from './tickets/ticket.ts';

interface Objection {
  readonly reason: Reason;
  readonly result: UploadResult;
}

/** The reason to refuse an upload before its evidence is judged, and the result for its page. */
export function objectionTo(
  upload: Upload,
  ticket: Ticket,
  request: CollectRequest,
  currentRuleSet: (organisation: string) => string | undefined,
): Objection | undefined {
  const { headers, connection } = request;
  // The rules have changed, and may require less or more, so the page reloads.
  if (currentRuleSet(ticket.organisation) !== ticket.ruleSet) {
    return { reason: 'challenge_outdated', result: 'retry' };
  }
  if (upload.session !== ticket.sessionId && !holdsSession(headers, ticket)) {
    // Meanwhile another tab of the same browser got another session. A reload solves this.
    const result = upload.session === '' ? 'no_session' : 'retry';
    return { reason: 'interstitial_no_session', result };
  }
  // An extension starts after the first page, or the visitor asks for the desktop page. A reload gets a ticket for the
  // new agent. The loop guard of the page ends this when the agent changes between each page and its upload.
  if (hashUserAgent(headerOf(request, 'user-agent')) !== ticket.userAgentHash) {
    return { reason: 'challenge_invalid', result: 'retry' };
  }
  // The origin of a page does not change, and no other page can send this origin.
  if (ticket.origin !== '' && headers['origin'] !== ticket.origin) {
    return { reason: 'challenge_invalid', result: 'failed' };
  }
  // A page of this host uploads its own answer. A page of another host must not answer for it (Fetch Metadata, 2.3).
  const sentBy = headerOf(request, 'sec-fetch-site');
  if (ticket.witnessed && sentBy !== '' && sentBy !== 'same-origin') {
    return { reason: 'challenge_invalid', result: 'failed' };
  }
  // After a reload the visitor has a page for this connection.
  if (connection && isOtherConnection(ticket, connection)) {
    return { reason: 'witness_mismatch', result: 'retry' };
  }
  return undefined;
}

/**
 * Whether page and upload came over connections of different clients. Unknown, and so false, unless Guard saw the
 * handshake of one of them: proxies in front may report the scheme of pages, but not of this path.
 */
function isOtherConnection(
  { origin, client }: Ticket,
  { scheme, transport }: VisitorConnection,
): boolean {
  const isSeen = transport !== undefined || handshakeOf(client) !== '';
  return origin === '' && isSeen && !isSameClient(client, connectionClass(scheme, transport));
}

/**
 * On the site's own host the Cookie header also contains cookies that scripts cannot read (`HttpOnly`). Another tab
 * may have got another value of the session meanwhile.
 */
function holdsSession({ cookie }: CollectRequest['headers'], { sessionId }: Ticket): boolean {
  if (typeof cookie !== 'string') return false;
  const root = sessionRoot(sessionId);
  return presentedSessions(undefined, cookie).some((value) => sessionRoot(value) === root);
}
