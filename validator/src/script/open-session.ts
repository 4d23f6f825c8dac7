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
  /** The origin of the page, as its browser sent it. Only this origin may upload. */
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
 * Sessions that one address (IPv4, or IPv6 /64) may open. Larger networks have no budget here. Their uploads are
 * bounded by `admit` (challenge/upload-budgets.ts).
 */
const BUDGET: Budget = { requests: 60, perMs: 60_000 };

/** Longest body. It has room for as many `_guard` cookies as are read. */
const MAX_BODY_CHARS = 400;

/**
 * Handles `POST /session?site_key=`: the script asks for a ticket. The body is the value of `_guard`, or empty. When
 * there are several values, the body is all of them as `_guard=…; _guard=…`. A value that is malformed, or that belongs
 * to another organisation, is replaced by a new session. Only a count for the address is stored.
 *
 * 200: an OpenedSession. 204: the client is a crawler, so there is nothing to collect. 401: the site key is missing or
 * wrong. 403: the page does not belong to the organisation, or the session was rejected, which a second upload must not
 * change. 429: too many sessions. 503: the store does not answer.
 */
export function createOpenSession(
  options: OpenSessionOptions,
): (request: CollectRequest) => Promise<CollectAnswer> {
  const { findTenant, store, isCrawler } = options;
  const patience = new Patience(CHALLENGE.uploadBudgetMs);

  async function open(request: CollectRequest, organisation: string): Promise<CollectAnswer> {
    // Without an address (a unix socket) all visitors share one budget.
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
    // Only the store can reject or stay silent. The script does not ask again, because the page works without it.
    const sessionAnswer = open(request, tenant.organisation).catch(() => emptyAnswer(503));
    const answer = await patience.within(sessionAnswer, () => emptyAnswer(503));
    return { ...answer, headers: { ...answer.headers, ...cors } };
  };
}

/** Shows a developer why nothing is collected. A browser shows the text in its network panel. */
function foreignPage(): CollectAnswer {
  return {
    status: 403,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    body: 'This site key works on the hosts of its sites and on its script_origins only.\n',
  };
}
