import type {
  AuthenticateBearer,
  QueryCaller,
  Clock,
  Log,
  Replay,
  RunQuery,
  SessionStore,
} from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Health } from '../page-contract/health.ts';
import { dataRoutes } from './data/data-routes.ts';
import { liveRoute } from './data/live-route.ts';
import { pageRoutes } from './page/page-routes.ts';
import { createOidc } from './sign-in/oidc.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';
import type { SignIns } from './sign-in/sign-ins.ts';
import { createFindViewer } from './sign-in/viewer.ts';

export type { Health } from '../page-contract/health.ts';
export { SignIns } from './sign-in/sign-ins.ts';

interface DashboardOptions {
  readonly settings: Settings;
  readonly revision: string;
  readonly authenticate: AuthenticateBearer;
  /** The same sign-ins are used after a reload of the settings. */
  readonly signIns: SignIns;
  readonly store: Pick<SessionStore, 'take'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Creates a route that runs statements like POST /query, but with another function that identifies callers. */
  readonly queryRoute: (
    path: string,
    identify: (request: FastifyRequest) => QueryCaller | undefined,
  ) => FastifyPluginAsync;
  readonly runQuery: RunQuery;
  readonly replay: Replay;
  readonly health: () => Promise<Health>;
  /**
   * False when Guard ends, or when new settings have replaced the settings of this dashboard. Then live views end, and
   * the page connects again.
   */
  readonly isOpen: () => boolean;
  /** Returns whether the dashboard accepts the Host header of a request. */
  readonly answersTo: (host: string | undefined) => boolean;
  /** The URL of the dashboard. It is known after the dashboard listens. */
  readonly ownUrl: () => string;
  readonly docsUrl: () => string | undefined;
}

const OTHER_HOST_TEXT =
  'The dashboard does not answer to this host name: ask for its address, or add the name to dashboard.hosts in guard.yaml.\n';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Serves a page that shows the events of one organisation and never writes. Its SQL is protected like POST /query. */
export function createDashboard(options: DashboardOptions): FastifyPluginAsync {
  const { settings, authenticate, signIns, queryRoute } = options;
  const { oidc: provider } = settings.dashboard;
  const callbackUrl = (): string => `${options.ownUrl().replace(/\/+$/, '')}/oidc/callback`;
  const oidc = provider && createOidc(provider, callbackUrl);
  const viewerOf = createFindViewer({ settings, authenticate, signIns });
  const identify = (request: FastifyRequest): QueryCaller | undefined => {
    const viewer = viewerOf(request);
    if (viewer === undefined) return undefined;
    const { organisation, authorization } = viewer;
    return { organisation, authorization };
  };
  const admit = createAdmit(options.answersTo);

  return async (app) => {
    app.addHook('onRequest', admit);
    // This scope needs its own handler, so that `admit` runs before it.
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).type('text/plain; charset=utf-8').send('Not found.\n'),
    );
    await app.register(pageRoutes());
    await app.register(signInRoutes({ ...options, oidc }));
    await app.register(dataRoutes({ ...options, viewerOf }));
    await app.register(liveRoute({ ...options, viewerOf }));
    await app.register(queryRoute('/api/query', identify));
  };
}

/**
 * Refuses foreign host names (DNS rebinding) and pages of other sites. The cookie alone does not prevent such requests.
 */
function createAdmit(answersTo: DashboardOptions['answersTo']) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    void reply.headers(HEADERS);
    const { host, origin, 'sec-fetch-site': site, 'sec-fetch-dest': dest } = request.raw.headers;
    if (!answersTo(host)) {
      await reply.code(421).type('text/plain; charset=utf-8').send(OTHER_HOST_TEXT);
      return;
    }
    void reply.header('cache-control', 'no-store');
    // The path of the route is checked, because `/%61pi/query` is the same path as `/api/query`.
    const isData = request.routeOptions.url?.startsWith('/api/') === true;
    // A foreign page may have a link to the dashboard. Requests of its images and frames are refused, because they
    // would use up the attempts to sign in.
    const isOpened = dest === undefined || dest === 'document';
    if (!isData && (isOpened || site !== 'cross-site')) return;
    // Origin is checked only when Sec-Fetch-Site is absent, because a proxy in front of the dashboard can change Host.
    const isOwn =
      site === undefined
        ? origin === undefined || URL.parse(origin)?.host === host
        : site === 'same-origin' || site === 'none';
    if (isOwn) return;
    await reply.code(403).type('text/plain; charset=utf-8').send('Another site asked for this.\n');
  };
}
