import { setTimeout as sleep } from 'node:timers/promises';
import { type Analytics, type DatabaseCondition, openAnalytics } from '@guard/analytics';
import { NETWORK_DATA, type NetworkData } from '@guard/config/catalogue/data-age';
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { AuthenticateBearer } from '@guard/config/contract/ports';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import type { Service, Settings } from '@guard/config/settings/schema';
import { createGateway, type Gateway } from '@guard/gateway';
import { SignIns } from '@guard/dashboard';
import { createReplay } from '@guard/replay';
import { createResolver } from '@guard/validator';
import {
  buildDeployment,
  type Dependencies,
  type Deployment,
  retire,
  type RoutedService,
} from './deployment/deployment.ts';
import { watchAlerts } from './alerts/watch-alerts.ts';
import { openCertificates, type OpenCertificates } from './certificates/open-certificates.ts';
import { orderCertificates } from './certificates/order-certificates.ts';
import { openControl } from './control/open-control.ts';
import { openCrowdsec } from './crowdsec/open-crowdsec.ts';
import { openDecisions } from './decisions/watch-decisions.ts';
import { noAnalytics } from './events/no-analytics.ts';
import { logDecisions, measureEvents } from './events/watch-events.ts';
import { createDashboardLinks, type DashboardLink } from './listeners/dashboard-links.ts';
import { docsRoutes } from './listeners/docs-routes.ts';
import { type Addresses, listenGateway, listenOn } from './listeners/listen.ts';
import { createReloadableService, type ReloadableService } from './listeners/reloadable-service.ts';
import { type Close, closeAll, type ProcessContext } from './process/process-context.ts';
import { keepPublished } from './refresh/keep-published.ts';
import { withStartSettings } from './reload/changes.ts';
import type { NewSettings } from './reload/read-again.ts';
import { openStore } from './store/open-store.ts';
import { watchCrawlerRanges } from './store/watch-crawler-ranges.ts';
import { openTracing } from './tracing/tracing.ts';
import { RemoteValidators } from './validators/gateway-sites.ts';
import { sharedAddresses, threadCount, WorkerPool } from './workers/worker-pool.ts';

export interface RunningGuard {
  /** The address of each started service: a URL, or `unix:` and a path. */
  readonly addresses: Addresses;
  /**
   * Replaces the current deployment between two requests. Resolves with the number of workers that have not applied it.
   * When the new one cannot be built, it rejects with a reason and changes nothing. Ignores new StartSettings.
   */
  readonly reload: (next: NewSettings) => Promise<number>;
  /** Creates sign-in links to the dashboard, one for each organisation. Each link works once, for ten minutes. */
  readonly createDashboardLinks: () => readonly DashboardLink[];
  /** The state of the database. Undefined when the settings name no event database. */
  readonly database: () => DatabaseCondition | undefined;
  /** When the oldest crawler list was confirmed, and each part of the network data created (epoch milliseconds). */
  readonly dataAt: () => Readonly<Record<NetworkData, number>> & {
    readonly crawlers: number | undefined;
  };
  /** Finishes all requests, writes the last events, and closes everything. */
  close(): Promise<void>;
}

/** Longest wait for the database at a start. Visitors can be served without it. */
const DATABASE_START_MS = 8_000;

/** Longest time for open requests to the services while Guard ends. The gateway has the same limit. */
const DRAIN_MS = 30_000;

/** The open parts of a Guard that starts, runs or ends. `closers` has a function for each, in order of opening. */
interface GuardState {
  readonly closers: Close[];
  readonly addresses: Partial<Record<Service, string>>;
  readonly services: Map<RoutedService, ReloadableService>;
  workers: WorkerPool | undefined;
  gateway: Gateway | undefined;
  certificates: OpenCertificates | undefined;
  currentDeployment: Deployment | undefined;
  isReady: boolean;
  isClosing: boolean;
}

/**
 * The composition root: builds a running product from the settings. It starts each service that `listen` names.
 * Analytics opens first and closes last, so that the event of every decision is kept.
 */
export async function startGuard(
  settings: Settings,
  context: ProcessContext,
): Promise<RunningGuard> {
  const state: GuardState = {
    closers: [],
    addresses: {},
    services: new Map(),
    workers: undefined,
    gateway: undefined,
    certificates: undefined,
    currentDeployment: undefined,
    isReady: false,
    isClosing: false,
  };
  const close = () => {
    state.isReady = false;
    state.isClosing = true;
    const cutOffTimer = setTimeout(() => {
      for (const service of state.services.values()) service.cutOff();
    }, DRAIN_MS);
    return closeAll(state.closers, context.log).finally(() => clearTimeout(cutOffTimer));
  };
  try {
    const dependencies = await openDependencies(settings, context, state);
    const first = await buildDeployment(settings, settingsRevision(settings), dependencies);
    state.currentDeployment = first;
    state.closers.push(() => currentOf(state).close());
    await listenServices(first, state);
    await openGateway(first, dependencies, state);
    await startWorkers(first, dependencies, state);
    startOrders(context, state);
    const { analytics } = dependencies;
    const currentSettings = () => currentOf(state).settings;
    state.closers.push(await openControl({ ...context, ...analytics, settings: currentSettings }));
    await Promise.race([analytics.settled, sleep(DATABASE_START_MS, undefined, { ref: false })]);
    state.isReady = true;
    return {
      addresses: state.addresses,
      reload: (next) => replaceDeployment(next, dependencies, state),
      createDashboardLinks() {
        const { dashboard } = state.addresses;
        return createDashboardLinks(dependencies.dashboard?.signIns, currentSettings(), dashboard);
      },
      database: () => dependencies.analytics.condition(),
      dataAt() {
        const { oldestCrawlerListAt: crawlers, networkDataAt: networks } = currentOf(state);
        return { crawlers, ...networks };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openDependencies(
  settings: Settings,
  context: ProcessContext,
  state: GuardState,
): Promise<Dependencies> {
  const { clock, metrics } = context;
  const { addresses, closers } = state;
  const analytics = await openEvents(settings, context, state);
  closers.push(() => analytics.close());
  const workerCount = threadCount(settings) - 1;
  if (workerCount > 0) state.workers = new WorkerPool(workerCount, context);
  const openedStore = await openStore(settings.store, context, state.workers);
  closers.push(() => openedStore.close());
  const { store, redis } = openedStore;
  if (redis) {
    const newestAt = (at: number) => redis.newest('crawler-ranges', at);
    const heldAt = () => state.currentDeployment?.oldestCrawlerListAt;
    closers.push(watchCrawlerRanges({ heldAt, newestAt }, context));
  }
  const currentSettings = () => state.currentDeployment?.settings ?? settings;
  closers.push(watchAlerts({ ...context, ...analytics, settings: currentSettings, store }));
  closers.push(keepPublished(() => state.currentDeployment?.settings, context));
  const decisions = await openDecisions(settings, redis, context);
  closers.push(decisions.close);
  const crowdsec = await openCrowdsec(currentSettings, context, state.workers);
  closers.push(crowdsec.close);
  const certificates = await openCertificates({ ...context, settings: currentSettings, redis });
  state.certificates = certificates;
  closers.push(certificates.watcher.close);
  metrics.gauge('guard_temporary_decisions', decisions.count);
  metrics.gauge('guard_crawler_ranges_age_seconds', () =>
    Math.round((clock() - (currentOf(state).oldestCrawlerListAt ?? clock())) / 1000),
  );
  metrics.gauge('guard_network_data_age_seconds', () => {
    const { networkDataAt: dataAt } = currentOf(state);
    return new Map(NETWORK_DATA.map((data) => [data, Math.round((clock() - dataAt[data]) / 1000)]));
  });
  return {
    ...context,
    analytics,
    store,
    temporary: decisions.rules,
    crowdsec: crowdsec.list,
    resolver: createResolver(),
    remotes: new RemoteValidators(context),
    networks: NetworkCatalogue.load(),
    docs: docsRoutes(
      settings.listen.docs !== undefined,
      () => currentOf(state).settings.public_urls.docs ?? addresses.docs ?? '',
    ),
    addresses,
    isReady: () => state.isReady,
    issuedCertificates: certificates.watcher.certificates,
    dashboard: {
      signIns: new SignIns(clock),
      replay: createReplay(() => currentOf(state).settings, analytics.runQuery),
      startedAt: clock(),
      isClosing: () => state.isClosing,
    },
  };
}

function currentOf({ currentDeployment }: GuardState): Deployment {
  if (!currentDeployment) throw new Error('asked before the first settings were applied');
  return currentDeployment;
}

/** Opens the sink for events. Decisions are logged and measured before they reach it. */
async function openEvents(
  settings: Settings,
  context: ProcessContext,
  state: GuardState,
): Promise<Analytics> {
  const { log, metrics } = context;
  const { analytics: analyticsSettings, organisations } = settings;
  const authenticate: AuthenticateBearer = (authorization) =>
    currentOf(state).authenticate(authorization);
  const analytics = analyticsSettings
    ? await openAnalytics({ settings: analyticsSettings, organisations, authenticate, ...context })
    : noAnalytics(metrics);
  const measuredSink = measureEvents(analytics.sink, metrics);
  return { ...analytics, sink: logDecisions(measuredSink, log, () => currentOf(state).settings) };
}

async function listenServices({ settings, routes }: Deployment, state: GuardState): Promise<void> {
  for (const [name, app] of routes) {
    const address = settings.listen[name];
    if (!address) continue;
    const service = createReloadableService(settings, app);
    state.closers.push(() => service.app.close());
    state.services.set(name, service);
    state.addresses[name] = await listenOn(name, service.app, address);
  }
}

async function openGateway(
  first: Deployment,
  dependencies: Dependencies,
  state: GuardState,
): Promise<void> {
  const { listen } = first.settings;
  if (!listen.gateway && !listen.gateway_tls && !listen.forward_auth && !listen.ext_authz) return;
  const { clock, log, metrics, analytics } = dependencies;
  const events = analytics.sink;
  const ports = { events, clock, log, metrics };
  const gateway = createGateway({
    ...first.gateway,
    ...ports,
    tracing: openTracing(log),
    proxyProtocol: listen.proxy_protocol,
    challenges: state.certificates?.watcher.challenges,
    ...(state.workers && { sharedAddress: 'claim' }),
  });
  state.closers.push(() => gateway.close());
  state.gateway = gateway;
  state.certificates?.watcher.onChange((issued) => gateway.showIssued(issued));
  Object.assign(state.addresses, await listenGateway(gateway, listen));
}

/** Workers share the addresses of this thread's gateway, so the gateway must listen first. */
async function startWorkers(
  { settings }: Deployment,
  { analytics }: Dependencies,
  { workers, addresses, closers }: GuardState,
): Promise<void> {
  if (!workers) return;
  closers.push(() => workers.close());
  const listen = sharedAddresses(settings.listen, addresses);
  await workers.start({ settings: { ...settings, listen }, addresses, analytics });
}

/** Starts to order certificates. It is called only when every thread can answer an authority that verifies a host. */
function startOrders(context: ProcessContext, state: GuardState): void {
  if (state.gateway === undefined || state.certificates === undefined) return;
  const settings = () => currentOf(state).settings;
  state.closers.push(orderCertificates({ ...context, ...state.certificates, settings }));
}

/** Replaces everything in one turn of the event loop, so that no request sees both old and new settings. */
async function replaceDeployment(
  { settings, revision }: NewSettings,
  dependencies: Dependencies,
  state: GuardState,
): Promise<number> {
  const current = currentOf(state);
  const effectiveSettings = withStartSettings(settings, current.settings);
  const next = await buildDeployment(effectiveSettings, revision, dependencies, current);
  state.gateway?.reload(next.gateway);
  for (const [name, service] of state.services) {
    const app = next.routes.get(name);
    if (app) service.replaceRoutes(app);
  }
  state.currentDeployment = next;
  dependencies.analytics.setOrganisations(next.settings.organisations);
  retire(current, dependencies.log);
  const listen = sharedAddresses(next.settings.listen, state.addresses);
  return (await state.workers?.reload({ settings: { ...next.settings, listen }, revision })) ?? 0;
}
