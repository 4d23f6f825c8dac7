import { CHALLENGE } from '@guard/config/contract/limits';
import type {
  Budget,
  Clock,
  CollectAnswer,
  CollectRequest,
  SessionStore,
} from '@guard/config/contract/ports';
import { presentedSessions } from '@guard/config/contract/presented-session';
import { parseIp } from '@guard/config/net/cidr';
import { addressGroup } from '@guard/config/net/network-of';
import { Patience } from '@guard/config/time/patience';
import { corsHeaders } from '../challenge/cors.ts';
import { hashUserAgent } from '../request/user-agent-hash.ts';
import { sessionCookie } from '../session/cookie.ts';
import { resolveSession } from '../session/resolve.ts';
import type { SessionIds } from '../session/session-id.ts';
import { emptyAnswer, headerOf, jsonAnswer } from '../challenge/exchange.ts';
import type { OpenedSession } from '../../page-contract/opened-session.ts';
import type { TicketRequest } from '../challenge/tickets/ticket.ts';
import type { FindTenant } from './site-keys.ts';

interface ScriptTicketRequest extends Omit<TicketRequest, 'nowMs'> {
  /** The origin of the page, as its browser sent it. Only pages of this origin are allowed to upload. */
  readonly origin: string;
}

export interface OpenSessionOptions {
  readonly findTenant: FindTenant;
  readonly store: SessionStore;
  readonly ids: SessionIds;
  readonly clock: Clock;
  /** A known crawler gets no session (contract 2.2). */
  readonly isCrawler: (userAgent: string) => boolean;
  readonly issueTicket: (request: ScriptTicketRequest) => Pick<OpenedSession, 'ticket' | 'sheet'>;
}

/**
 * The budget of sessions for one address (IPv4, or IPv6 /64). Larger networks have no budget here, because `admit`
 * (challenge/upload-budgets.ts) limits their uploads.
 */
const BUDGET: Budget = { requests: 60, perMs: 60_000 };

/** Longest body, in characters. It has room for all `_guard` cookies that Guard reads. */
const MAX_BODY_CHARS = 400;

/**
 * Handles `POST /session?site_key=`, by which the browser script asks for a ticket. The body is the value of the
 * `_guard` cookie, or empty. Several values are written as `_guard=…; _guard=…`. A new session replaces a value that is
 * malformed or from another organisation. Guard stores only a count for the address.
 *
 * 200: an OpenedSession. 204: the client is a crawler, so there is nothing to collect. 401: the site key is missing or
 * wrong. 403: the page is not on a site of the organisation; or the session was rejected, and a second upload must not
 * change this. 429: too many sessions. 503: the store does not answer.
 */
export function createOpenSession(
  options: OpenSessionOptions,
): (request: CollectRequest) => Promise<CollectAnswer> {
  const { findTenant, store, isCrawler } = options;
  const patience = new Patience(CHALLENGE.uploadBudgetMs);

  async function open(request: CollectRequest, organisation: string): Promise<CollectAnswer> {
    // On a unix socket there is no address, so all its visitors share one budget.
    const ip = parseIp(request.ip) ?? '0.0.0.0';
    const waitMs = await store.take('script', addressGroup(ip), BUDGET);
    if (waitMs > 0) return emptyAnswer(429, { 'Retry-After': String(Math.ceil(waitMs / 1000)) });
    const userAgent = headerOf(request, 'user-agent');
    if (isCrawler(userAgent)) return emptyAnswer(204);
    const session = await resolveSession(
      presentedSessions(request.body.trim(), request.body),
      { organisation, userAgentHash: hashUserAgent(userAgent), ip, client: '' },
      store,
      options.ids,
      options.clock,
    );
    if (session.state === 'rejected') return emptyAnswer(403);
    const isNew =
      session.state === 'none' || (session.state === 'issued' && session.contested === true);
    const sessionId = isNew ? options.ids.mint(organisation) : session.id;
    const origin = headerOf(request, 'origin');
    const openedSession: OpenedSession = {
      ...options.issueTicket({ organisation, sessionId, ip, userAgent, origin }),
      cookie: sessionCookie(sessionId, origin.startsWith('https:') ? 'https' : 'http'),
    };
    return jsonAnswer(200, openedSession);
  }

  return async (request) => {
    if (request.method !== 'POST') return emptyAnswer(405, { Allow: 'POST' });
    const tenant = findTenant(request.query);
    if (!tenant) return emptyAnswer(401);
    const origin = headerOf(request, 'origin');
    if (!tenant.allows(origin)) return foreignPage();
    const cors = corsHeaders(request, tenant.allows);
    if (request.body.length > MAX_BODY_CHARS) return emptyAnswer(413, cors);
    // Only the store can reject or be silent. The script does not ask again, because the page works without the script.
    const sessionAnswer = open(request, tenant.organisation).catch(() => emptyAnswer(503));
    const answer = await patience.within(sessionAnswer, () => emptyAnswer(503));
    return { ...answer, headers: { ...answer.headers, ...cors } };
  };
}

/** The text shows a developer in the network panel of a browser why the script collects nothing. */
function foreignPage(): CollectAnswer {
  return {
    status: 403,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    body: 'This site key works on the hosts of its sites and on its script_origins only.\n',
  };
}
