import type { AuthenticateBearer, Log, SessionStore } from '@guard/config/contract/ports';
import { parseIp } from '@guard/config/net/cidr';
import { addressGroup } from '@guard/config/net/network-of';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { cookie, OIDC_COOKIE, readCookie, SIGN_IN_COOKIE } from './cookies.ts';
import type { Oidc } from './oidc.ts';
import type { Membership } from './viewer.ts';
import { SIGN_IN_MS, type SignInHolder, type SignIns } from './sign-ins.ts';

/**
 * The budget of attempts for an address: one for keys, and one for links and the provider. It limits the work of Guard.
 * A key cannot be guessed even without a limit.
 */
const ATTEMPTS = { requests: 10, perMs: 60_000 };
const OIDC_S = 10 * 60;

/** The body is small, because any client can send JSON, and parsing delays visitors. */
const MAX_BODY = 4_096;

const Body = z.strictObject({ key: z.string().min(1).max(300) });

/** The routes that start and end a sign-in. */
export function signInRoutes(options: {
  readonly authenticate: AuthenticateBearer;
  readonly signIns: SignIns;
  readonly oidc: Oidc | undefined;
  readonly store: Pick<SessionStore, 'take'>;
  readonly log: Log;
}): FastifyPluginAsync {
  const { authenticate, signIns, oidc, store, log } = options;

  /** Resolves with 0 when the address may try now, else with the milliseconds to wait. */
  async function waitMsOf(request: FastifyRequest): Promise<number> {
    const ip = parseIp(request.ip);
    const subject = ip === undefined ? '' : addressGroup(ip);
    // The two budgets are separate, because a foreign page can send a browser to a link or to the provider, but cannot
    // send a key.
    const budgetName = request.method === 'POST' ? 'dashboard-key' : 'dashboard-link';
    return store.take(budgetName, subject, ATTEMPTS);
  }

  async function limit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const waitMs = await waitMsOf(request);
    if (waitMs === 0) return;
    await reply
      .code(429)
      .header('retry-after', Math.ceil(waitMs / 1000))
      .type('text/plain; charset=utf-8')
      .send('Too many attempts to sign in from this address. Wait a minute.\n');
  }

  function startSignIn(reply: FastifyReply, signedIn: SignInHolder): void {
    const token = signIns.begin(signedIn);
    log('info', 'dashboard_signed_in', { organisation: signedIn.organisation, via: signedIn.via });
    const cookieOptions = { maxAgeS: SIGN_IN_MS / 1000, sameSite: 'Strict' } as const;
    addCookie(reply, cookie(SIGN_IN_COOKIE, token, cookieOptions));
  }

  return (app) => {
    app.post('/api/sign-in', { onRequest: limit, bodyLimit: MAX_BODY }, (request, reply) => {
      const body = Body.safeParse(request.body);
      const authorization = `Bearer ${body.data?.key ?? ''}`;
      const holder = authenticate(authorization);
      if (holder === undefined) return reply.code(401).send();
      startSignIn(reply, { via: 'key', ...holder, authorization });
      return reply.code(204).send();
    });

    app.post('/api/sign-out', { bodyLimit: MAX_BODY }, (request, reply) => {
      const token = readCookie(request.raw.headers.cookie, SIGN_IN_COOKIE);
      if (token !== undefined) signIns.end(token);
      addCookie(reply, cookie(SIGN_IN_COOKIE, '', { maxAgeS: 0, sameSite: 'Strict' }));
      return reply.code(204).send();
    });

    // The route has no HEAD, because a HEAD request would use up the link.
    app.get('/sign-in', { onRequest: limit, exposeHeadRoute: false }, (request, reply) => {
      const { link } = request.query as { readonly link?: unknown };
      const organisation = typeof link === 'string' ? signIns.takeLink(link) : undefined;
      if (organisation === undefined) return reply.redirect('/?signin=used', 303);
      startSignIn(reply, { via: 'link', organisation });
      return reply.redirect('/', 303);
    });

    if (oidc !== undefined) mountOidc(app, oidc, { limit, begin: startSignIn, log });
    return Promise.resolve();
  };
}

interface Steps {
  readonly limit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly begin: (reply: FastifyReply, signedIn: SignInHolder) => void;
  readonly log: Log;
}

/** The routes to the provider and back. */
function mountOidc(app: FastifyInstance, oidc: Oidc, { limit, begin, log }: Steps): void {
  const options = { onRequest: limit, exposeHeadRoute: false };

  function redirectFailed(reply: FastifyReply, error: unknown): FastifyReply {
    const reason = error instanceof Error ? error.message : String(error);
    log('warn', 'dashboard_sign_in_failed', { reason });
    return reply.redirect('/?signin=failed', 303);
  }

  app.get('/oidc/start', options, async (_request, reply) => {
    const signIn = await oidc.begin().catch((error: unknown) => ({ error }));
    if ('error' in signIn) return redirectFailed(reply, signIn.error);
    // The cookie is Lax, because the provider sends the browser back from another site.
    const cookieOptions = { maxAgeS: OIDC_S, sameSite: 'Lax' } as const;
    addCookie(reply, cookie(OIDC_COOKIE, signIn.cookieValue, cookieOptions));
    return reply.redirect(signIn.url.href, 303);
  });

  app.get('/oidc/callback', options, async (request, reply) => {
    const cookieValue = readCookie(request.raw.headers.cookie, OIDC_COOKIE) ?? '';
    addCookie(reply, cookie(OIDC_COOKIE, '', { maxAgeS: 0, sameSite: 'Lax' }));
    const [, query = ''] = request.url.split(/\?(.*)/s, 2);
    let membership: Membership | undefined;
    try {
      membership = await oidc.finish(query, cookieValue);
    } catch (error) {
      return redirectFailed(reply, error);
    }
    if (membership === undefined)
      return redirectFailed(reply, 'no group of this user is in dashboard.oidc');
    begin(reply, { via: 'oidc', ...membership });
    return reply.redirect('/', 303);
  });
}

/** fastify joins several cookies into one header list. */
function addCookie(reply: FastifyReply, value: string): void {
  void reply.header('set-cookie', value);
}
