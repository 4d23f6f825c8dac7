import type { Analytics } from '@guard/analytics';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { type NetworkData, networkDataAt } from '@guard/config/catalogue/data-age';
import type { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { AuthenticateBearer, Log, Replay, SessionStore } from '@guard/config/contract/ports';
import { redirectsToHttps } from '@guard/config/settings/derived/acme-hosts';
import { crawlerRangesFolder } from '@guard/config/settings/derived/data-places';
import { createBearerAuth } from '@guard/config/settings/keys/key-ring';
import type { Service, Settings } from '@guard/config/settings/schema';
import type { TlsCertificate } from '@guard/config/settings/sections/tls';
import { inSlices, noPause } from '@guard/config/time/slices';
import type { GatewaySettings } from '@guard/gateway';
import { createDashboard, type Health, type SignIns } from '@guard/dashboard';
import { createDataServer } from '@guard/mcp';
import {
  type createResolver,
  createValidatorInSlices,
  type CrowdsecList,
  type TemporaryRules,
  type Validator,
  type ValidatorOptions,
  validatorSettings,
} from '@guard/validator';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { adminRoutes } from '../admin/admin.ts';
import { type Addresses, createService } from '../listeners/listen.ts';
import { compileOwnHosts } from '../listeners/own-hosts.ts';
import type { ProcessContext } from '../process/process-context.ts';
import { gatewaySites, type RemoteValidators } from '../validators/gateway-sites.ts';

/** The objects that all deployments share. They stay the same across reloads. */
export interface Dependencies extends ProcessContext {
  readonly analytics: Analytics;
  readonly store: SessionStore;
  /** Temporary decisions that people made by hand. */
  readonly temporary: TemporaryRules | undefined;
  readonly crowdsec: CrowdsecList;
  /** The resolver that looks up the names of addresses from which a request claims to be a crawler. */
  readonly resolver: ReturnType<typeof createResolver>;
  /** A reload keeps the connections to remote validators, and the state of their breakers. */
  readonly remotes: RemoteValidators;
  /** The lists of networks that come with Guard. Reading them is slow. */
  readonly networks: NetworkCatalogue;
  /** The routes of the documentation, for the `docs` listener. */
  readonly docs: FastifyPluginAsync;
  /** The address of each service. It is filled during the start. */
  readonly addresses: Addresses;
  readonly isReady: () => boolean;
  /** The certificates that an authority issued, by host. */
  readonly issuedCertificates: () => ReadonlyMap<string, TlsCertificate>;
  /** The dependencies of the dashboard. Undefined in a thread without a dashboard. */
  readonly dashboard?: DashboardDependencies;
}

interface DashboardDependencies {
  readonly signIns: SignIns;
  readonly replay: Replay;
  /** When Guard started, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly isClosing: () => boolean;
}

/** The services with fastify routes: all except the gateway. */
export type RoutedService = Exclude<
  Service,
  'gateway' | 'gateway_tls' | 'forward_auth' | 'ext_authz'
>;

/** Everything that is built from one version of the settings. A reload replaces it as a whole. */
export interface Deployment {
  readonly settings: Settings;
  readonly validator: Pick<Validator, 'compiled'>;
  readonly authenticate: AuthenticateBearer;
  /** When the oldest list of crawler addresses was confirmed, in milliseconds since the epoch. */
  readonly oldestCrawlerListAt: number | undefined;
  /** When each part of the network data was created, in milliseconds since the epoch. */
  readonly networkDataAt: Readonly<Record<NetworkData, number>>;
  /** The routes of each service. Another object listens, and passes the requests to these routes. */
  readonly routes: ReadonlyMap<RoutedService, FastifyInstance>;
  readonly gateway: GatewaySettings;
  /** The longest time that a question to a remote validator of this deployment can take. */
  readonly longestQuestionMs: number;
  close(): Promise<void>;
}

/** Builds a deployment. It reuses the unchanged parts of `before`. Rejects with a reason that people can read. */
export async function buildDeployment(
  settings: Settings,
  revision: string,
  dependencies: Dependencies,
  before?: Deployment,
): Promise<Deployment> {
  // At the start no request waits, so no pauses are needed.
  const pause = before === undefined ? noPause : inSlices();
  const ranges = crawlerRangesFolder(settings);
  const policy = validatorSettings(settings, await CrawlerCatalogue.loadInSlices(ranges, pause));
  const { collector } = settings.public_urls;
  const options: ValidatorOptions = {
    ...policy,
    settingsRevision: revision,
    collectorUrl: () => collector ?? dependencies.addresses.collector ?? '',
    resolver: settings.crawlers.reverse_dns ? dependencies.resolver : undefined,
    networks: dependencies.networks,
    store: dependencies.store,
    temporary: dependencies.temporary,
    crowdsec: dependencies.crowdsec,
    events: dependencies.analytics.sink,
    clock: dependencies.clock,
    log: dependencies.log,
    metrics: dependencies.metrics,
    isReady: dependencies.isReady,
  };
  const validator = await createValidatorInSlices(options, pause, before?.validator);
  await pause();
  const authenticate = createBearerAuth(settings.organisations, dependencies.clock);
  const { oldestListAt } = policy.crawlers;
  const dataAt = networkDataAt(dependencies.networks, policy.databases);
  let isClosed = false;
  const isCurrent = () => !isClosed;
  const routes = await routesOf(
    { settings, revision, validator, authenticate, oldestListAt, dataAt, isCurrent },
    dependencies,
  );
  await pause();
  const gateway = await gatewaySites(settings.sites, validator, dependencies.remotes);
  await pause();
  return {
    settings,
    validator,
    authenticate,
    oldestCrawlerListAt: oldestListAt,
    networkDataAt: dataAt,
    routes,
    gateway: {
      trustedProxies: settings.trusted_proxies,
      forwardedHeader: settings.forwarded_header,
      observe: settings.observe,
      settingsRevision: revision,
      certificates: settings.tls?.certificates ?? [],
      redirectHttps: redirectsToHttps(settings),
      sites: gateway.sites,
    },
    longestQuestionMs: gateway.longestQuestionMs,
    close: () => {
      isClosed = true;
      return gateway.close();
    },
  };
}

/** The parts that are built before the routes. */
interface DeploymentParts {
  readonly settings: Settings;
  readonly revision: string;
  readonly validator: Validator;
  readonly authenticate: AuthenticateBearer;
  readonly oldestListAt: number | undefined;
  readonly dataAt: Readonly<Record<NetworkData, number>>;
  /** Whether this deployment is in use. False after another deployment has replaced it. */
  readonly isCurrent: () => boolean;
}

async function routesOf(
  parts: DeploymentParts,
  dependencies: Dependencies,
): Promise<ReadonlyMap<RoutedService, FastifyInstance>> {
  const { settings, validator, authenticate } = parts;
  const { analytics, docs, metrics, isReady, dashboard } = dependencies;
  const { listen } = settings;
  const answersTo = compileOwnHosts(listen.admin, settings.admin_hosts);
  const database = () => analytics.condition();
  const plugins: Readonly<Record<RoutedService, () => readonly FastifyPluginAsync[]>> = {
    validator: () => [validator.validateRoutes],
    collector: () => [validator.collectorRoutes],
    api: () => [analytics.routes, createDataServer({ ...analytics, authenticate })],
    docs: () => [docs],
    sql: () => [analytics.clickHouseRoutes],
    admin: () => [adminRoutes({ metrics, isReady, answersTo, database })],
    dashboard: () => (dashboard ? [dashboardOf(parts, dependencies, dashboard)] : []),
  };
  const routes = new Map<RoutedService, FastifyInstance>();
  for (const service of ROUTED_SERVICES) {
    if (listen[service] === undefined) continue;
    const app = createService(settings);
    for (const plugin of plugins[service]()) await app.register(plugin);
    await app.ready();
    routes.set(service, app);
  }
  return routes;
}

function dashboardOf(
  parts: DeploymentParts,
  dependencies: Dependencies,
  dashboardDependencies: DashboardDependencies,
): FastifyPluginAsync {
  const { settings, oldestListAt, dataAt } = parts;
  const { listen, dashboard, public_urls } = settings;
  const { analytics, metrics, clock, addresses } = dependencies;
  const publicHost =
    public_urls.dashboard === undefined ? [] : [new URL(public_urls.dashboard).hostname];
  const health = async (): Promise<Health> => ({
    ready: dependencies.isReady(),
    database: analytics.condition() ?? null,
    store: settings.store.engine,
    startedAt: new Date(dashboardDependencies.startedAt).toISOString(),
    metrics: await metrics.values(),
    certificates: [].map(({ hosts, expiresAt }) => ({
      hosts,
      expiresAt: new Date(expiresAt).toISOString(),
    })),
    crawlerListAgeSeconds:
      oldestListAt === undefined ? null : Math.round((clock() - oldestListAt) / 1000),
    networkDataAgeSeconds: {
      lists: Math.round((clock() - dataAt.lists) / 1000),
      country: Math.round((clock() - dataAt.country) / 1000),
      asn: Math.round((clock() - dataAt.asn) / 1000),
    },
  });
  return createDashboard({
    ...dependencies,
    ...parts,
    ...dashboardDependencies,
    isOpen: () => parts.isCurrent() && !dashboardDependencies.isClosing(),
    queryRoute: analytics.routeFor,
    runQuery: analytics.runQuery,
    health,
    answersTo: compileOwnHosts(listen.dashboard, [...dashboard.hosts, ...publicHost]),
    ownUrl: () => public_urls.dashboard ?? addresses.dashboard ?? '',
    docsUrl: () => public_urls.docs ?? addresses.docs,
  });
}

/** The services in the order of their start. */
const ROUTED_SERVICES: readonly RoutedService[] = [
  'validator',
  'collector',
  'api',
  'docs',
  'sql',
  'admin',
  'dashboard',
];

/** This time is added to the time of the longest question, because an answer can come at the last moment. */
const GRACE_MS = 1_000;

/**
 * Closes a replaced deployment when its last question to a remote validator has certainly ended. The timer does not
 * keep the process alive.
 */
export function retire(deployment: Deployment, log: Log): void {
  const timer = setTimeout(() => {
    deployment.close().catch((error: unknown) => {
      log('error', 'close_failed', { reason: String(error) });
    });
  }, deployment.longestQuestionMs + GRACE_MS);
  timer.unref();
}
