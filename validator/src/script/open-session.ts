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
import { emptyAnswer, headerOf } from '../challenge/exchange.ts';
import type { OpenedSession } from '../../page-contract/opened-session.ts';
import type { FindTenant } from './site-keys.ts';

/** Whom a ticket is made out to. */
export interface TicketRequest {
  readonly organisation: string;
  readonly sessionId: string;
  /** Normalised address, as `parseIp` spells it. */
  readonly ip: string;
  readonly userAgent: string;
  /** The origin of the page that asks, as its browser sent it. Only this origin may upload. */
  readonly origin: string;
}

export interface OpenSessionOptions {
  readonly tenantOf: FindTenant;
  readonly store: SessionStore;
  readonly ids: SessionIds;
  readonly clock: Clock;
  /** A matched crawler is given no session (contract 2.2). */
  readonly isCrawler: (userAgent: string) => boolean;
  readonly issueTicket: (request: TicketRequest) => Pick<OpenedSession, 'ticket' | 'sheet'>;
}

/**
 * Sessions that one address (IPv4, or /64) may open. A /24 has no budget of its own here: each of its
 * addresses may open as many. What they upload is bounded by `admit` (challenge/upload-budgets.ts).
 */
const BUDGET: Budget = { requests: 60, perMs: 60_000 };

/** Longest body: `_guard` cookies with a UUID each, as many as are looked at. */
const MAX_BODY_CHARS = 400;

/**
 * `POST /session?site_key=`: the script asks for a ticket. The body is the value of `_guard`, or empty, or
 * where there are several all of them as `_guard=…; _guard=…`. A value that is malformed, or not this
 * organisation's, is ignored and a fresh session takes its place.
 * Nothing is stored, so who never uploads leaves no trace but a count of the address it came from.
 *
 * 200 an OpenedSession. 204 nothing to collect: a crawler. 401 the site key. 403 a page that is not the
 * organisation's, or a session that was rejected: a second upload cannot wash it clean. 429 too many.
 * 503 the store does not answer.
 */
export function createOpenSession(
  options: OpenSessionOptions,
): (request: CollectRequest) => Promise<CollectAnswer> {
  const { tenantOf, store, isCrawler } = options;
  const patience = new Patience(CHALLENGE.uploadBudgetMs);

  async function open(request: CollectRequest, organisation: string): Promise<CollectAnswer> {
    // Without an address (a unix socket) all visitors share one budget.
    const ip = parseIp(request.ip) ?? '0.0.0.0';
    const waitMs = await store.take('script', addressGroup(ip), BUDGET);
    if (waitMs > 0) return emptyAnswer(429, { 'Retry-After': String(Math.ceil(waitMs / 1000)) });
    const userAgent = headerOf(request, 'user-agent');
    if (isCrawler(userAgent)) return emptyAnswer(204);
    const known = await resolveSession(
      presentedSessions(request.body.trim(), request.body),
      { organisation, userAgentHash: hashUserAgent(userAgent), ip, client: '' },
      store,
      options.ids,
      options.clock,
    );
    if (known.state === 'rejected') return emptyAnswer(403);
    const isNew = known.state === 'none' || (known.state === 'issued' && known.contested === true);
    const sessionId = isNew ? options.ids.mint(organisation) : known.id;
    const origin = headerOf(request, 'origin');
    return opened({
      ...options.issueTicket({ organisation, sessionId, ip, userAgent, origin }),
      cookie: sessionCookie(sessionId, origin.startsWith('https:') ? 'https' : 'http'),
    });
  }

  return async (request) => {
    if (request.method !== 'POST') return emptyAnswer(405, { Allow: 'POST' });
    const tenant = tenantOf(request.query);
    if (!tenant) return emptyAnswer(401);
    const origin = headerOf(request, 'origin');
    if (!tenant.allows(origin)) return foreignPage();
    const cors = corsHeaders(request, tenant.allows);
    if (request.body.length > MAX_BODY_CHARS) return emptyAnswer(413, cors);
    // Only the store rejects, or never answers. The script does not ask twice: the page goes on without it.
    const answered = open(request, tenant.organisation).catch(() => emptyAnswer(503));
    const answer = await patience.within(answered, () => emptyAnswer(503));
    return { ...answer, headers: { ...answer.headers, ...cors } };
  };
}

function opened(session: OpenedSession): CollectAnswer {
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
    body: JSON.stringify(session),
  };
}

/** For the developer who looks why nothing is collected; a browser shows it in its network panel. */
function foreignPage(): CollectAnswer {
  return {
    status: 403,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    body: 'This site key works on the hosts of its sites and on its script_origins only.\n',
  };
}
