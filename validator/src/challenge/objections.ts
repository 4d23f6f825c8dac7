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

/**
 * The reason to refuse an upload before its evidence is judged, and the result for its page. Undefined when there is no
 * objection.
 */
export function objectionTo(
  upload: Upload,
  ticket: Ticket,
  request: CollectRequest,
  currentRuleSet: (organisation: string) => string | undefined,
): Objection | undefined {
  const { headers, connection } = request;
  // The rules have changed. The page reloads, so that the new rules decide.
  if (currentRuleSet(ticket.organisation) !== ticket.ruleSet) {
    return { reason: 'challenge_outdated', result: 'retry' };
  }
  if (upload.session !== ticket.sessionId && !holdsSession(headers, ticket)) {
    // The upload has another session, because another tab of the same browser has got a new session meanwhile. A reload
    // solves this.
    const result = upload.session === '' ? 'no_session' : 'retry';
    return { reason: 'interstitial_no_session', result };
  }
  // The User-Agent has changed: an extension started after the first page, or the visitor asked for the desktop page. A
  // reload gets a ticket for the new User-Agent. When it changes again for each upload, the page's loop guard ends the
  // reloads.
  if (hashUserAgent(headerOf(request, 'user-agent')) !== ticket.userAgentHash) {
    return { reason: 'challenge_invalid', result: 'retry' };
  }
  // Only the page that asked for the ticket sends this origin. A reload would not help, because the origin of a page
  // does not change.
  if (ticket.origin !== '' && headers['origin'] !== ticket.origin) {
    return { reason: 'challenge_invalid', result: 'failed' };
  }
  // The challenge page is on this host, and uploads its own answer. A page of another host must not answer for it
  // (Fetch Metadata, 2.3).
  const sentBy = headerOf(request, 'sec-fetch-site');
  if (ticket.witnessed && sentBy !== '' && sentBy !== 'same-origin') {
    return { reason: 'challenge_invalid', result: 'failed' };
  }
  // A reload gets a page for the connection of this upload.
  if (connection && isOtherConnection(ticket, connection)) {
    return { reason: 'witness_mismatch', result: 'retry' };
  }
  return undefined;
}

/**
 * Whether page and upload came over connections of different clients. False when Guard saw the TLS handshake of
 * neither: a proxy in front can report the scheme for pages, but not for this path.
 */
function isOtherConnection(
  { origin, client }: Ticket,
  { scheme, transport }: VisitorConnection,
): boolean {
  const isSeen = transport !== undefined || handshakeOf(client) !== '';
  return origin === '' && isSeen && !isSameClient(client, connectionClass(scheme, transport));
}

/**
 * Whether the Cookie header has the session of the ticket. On the site's own host this header also contains cookies
 * that scripts cannot read (`HttpOnly`). Only the root is compared, because another tab can have got another value of
 * the session.
 */
function holdsSession({ cookie }: CollectRequest['headers'], { sessionId }: Ticket): boolean {
  if (typeof cookie !== 'string') return false;
  const root = sessionRoot(sessionId);
  return presentedSessions(undefined, cookie).some((value) => sessionRoot(value) === root);
}
