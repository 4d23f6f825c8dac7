import { openAnalytics, type Analytics } from '@guard/analytics';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { AuthenticateBearer } from '@guard/config/contract/ports';
import type { Service, Settings } from '@guard/config/settings/schema';
import { createGateway, type Gateway } from '@guard/gateway';
import { createDocsServer } from '@guard/mcp';
import { createResolver } from '@guard/validator';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeAll, type Closer } from './process/close-all.ts';
import type { ProcessContext } from './process/process-context.ts';
import { buildGeneration, type Generation, type PlainService } from './deployment/generation.ts';
import type { House } from './deployment/house.ts';
import { retire } from './deployment/retire.ts';
import { logDecisions } from './events/log-decisions.ts';
import { measureEvents } from './events/measure-events.ts';
import { asStarted } from './reload/need-restart.ts';
import { createFront, type Front } from './listeners/front.ts';
import { listenGateway } from './listeners/listen-gateway.ts';
import { type Addresses, listenOn } from './listeners/listen.ts';
import { noAnalytics } from './events/no-analytics.ts';
import { openStore } from './store/open-store.ts';
import { RemoteValidators } from './validators/remote-validators.ts';
import { watchCrawlerRanges } from './store/watch-crawler-ranges.ts';
import { openTracing } from './tracing/open-tracing.ts';
import { Crew } from './workers/crew.ts';
import { sharedAddresses, threadCount } from './workers/shared-addresses.ts';

export interface Running {
  /** Where each started service listens: a URL, or unix:path. */
  readonly addresses: Addresses;
  /**
   * Builds what these settings lead to, and puts it in the place of what is in force, between two
   * requests. Rejects, with the reason in words and everything as it was, when that cannot be built.
   * `listen`, `store` and `analytics` are of the start: what stands there is not looked at.
   */
  readonly reload: (settings: Settings) => Promise<void>;
  /** Finishes what is under way, writes the last events, ends. */
  close(): Promise<void>;
}

/** How long a start waits for the database. It is not needed to serve, so a slow one is left behind. */
const DATABASE_START_MS = 8_000;

/** What is open at this moment, on the way up, while it runs, and on the way down. */
interface Progress {
  /** What to close, in the order in which it was opened. */
  readonly opened: Closer[];
  readonly addresses: Partial<Record<Service, string>>;
  readonly fronts: Map<PlainService, Front>;
  /** Threads beside this one. */
  crew: Crew | undefined;
  gateway: Gateway | undefined;
  inForce: Generation | undefined;
  ready: boolean;
}

/**
 * The composition root: settings to a running product. Each service is started when `listen` names
 * it. Analytics opens first and closes last, so that every decision has a place to go.
 */
export async function startGuard(settings: Settings, context: ProcessContext): Promise<Running> {
  const progress: Progress = {
    opened: [],
    addresses: {},
    fronts: new Map(),
    crew: undefined,
    gateway: undefined,
    inForce: undefined,
    ready: false,
  };
  const close = () => {
    progress.ready = false;
    return closeAll(progress.opened, context.log);
  };
  try {
    const house = await openHouse(settings, context, progress);
    const first = await buildGeneration(settings, house);
    progress.inForce = first;
    progress.opened.push(() => inForce(progress).close());
    await listenAll(first, progress);
    await openGateway(first, house, progress);
    await beginCrew(first, house, progress);
    const { settled } = house.analytics;
    await Promise.race([settled, sleep(DATABASE_START_MS, undefined, { ref: false })]);
    progress.ready = true;
    return {
      addresses: progress.addresses,
      reload: (next) => replace(next, house, progress),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openHouse(
  settings: Settings,
  context: ProcessContext,
  progress: Progress,
): Promise<House> {
  const { clock, metrics } = context;
  const { addresses, opened } = progress;
  const analytics = await openMemory(settings, context, progress);
  opened.push(() => analytics.close());
  const threads = threadCount(settings);
  progress.crew = threads > 1 ? new Crew(threads - 1, context) : undefined;
  const opening = await openStore(settings.store, context, progress.crew);
  opened.push(() => opening.close());
  const { store, newestRangesAt: newestAt } = opening;
  if (newestAt) {
    const heldAt = () => progress.inForce?.oldestCrawlerListAt;
    opened.push(watchCrawlerRanges({ heldAt, newestAt }, context));
  }
  metrics.gauge('guard_crawler_ranges_age_seconds', () =>
    Math.round((clock() - (inForce(progress).oldestCrawlerListAt ?? clock())) / 1000),
  );
  return {
    ...context,
    analytics,
    store,
    resolver: createResolver(),
    remotes: new RemoteValidators(context),
    networks: NetworkCatalogue.load(),
    docs: createDocsServer({
      publicUrl: () => inForce(progress).settings.public_urls.docs ?? addresses.docs ?? '',
      crawlers: settings.listen.docs ? CrawlerCatalogue.load().all() : [],
    }),
    addresses,
    isReady: () => progress.ready,
  };
}

/** What the settings in force led to. */
function inForce(progress: Progress): Generation {
  if (!progress.inForce) throw new Error('asked before the first settings are in force');
  return progress.inForce;
}

async function openMemory(
  settings: Settings,
  context: ProcessContext,
  progress: Progress,
): Promise<Analytics> {
  const { log, metrics } = context;
  const { analytics, organisations } = settings;
  const authenticate: AuthenticateBearer = (authorization) =>
    inForce(progress).authenticate(authorization);
  const memory = analytics
    ? await openAnalytics({ settings: analytics, organisations, authenticate, ...context })
    : noAnalytics(metrics);
  const measured = measureEvents(memory.sink, metrics);
  return { ...memory, sink: logDecisions(measured, log, () => inForce(progress).settings) };
}

async function listenAll({ settings, routes }: Generation, progress: Progress): Promise<void> {
  for (const [service, app] of routes) {
    const address = settings.listen[service];
    if (!address) continue;
    const front = createFront(settings, app);
    progress.opened.push(() => front.app.close());
    progress.fronts.set(service, front);
    progress.addresses[service] = await listenOn(service, front.app, address);
  }
}

async function openGateway(first: Generation, house: House, progress: Progress): Promise<void> {
  const { gateway: plain, gateway_tls: secure, forward_auth: asked } = first.settings.listen;
  if (!plain && !secure && !asked) return;
  const { clock, log, metrics, analytics } = house;
  const { proxy_protocol: proxyProtocol } = first.settings.listen;
  const events = analytics.sink;
  const ports = { events, clock, log, metrics };
  const gateway = createGateway({
    ...first.gateway,
    ...ports,
    tracing: openTracing(log),
    proxyProtocol,
    ...(progress.crew && { sharedAddress: 'claim' }),
  });
  progress.opened.push(() => gateway.close());
  progress.gateway = gateway;
  Object.assign(progress.addresses, await listenGateway(gateway, first.settings.listen));
}

/** The workers listen where the gateway of this thread does, so it goes first. */
async function beginCrew(
  { settings }: Generation,
  house: House,
  progress: Progress,
): Promise<void> {
  const { crew, addresses } = progress;
  if (!crew) return;
  progress.opened.push(() => crew.close());
  const listen = sharedAddresses(settings.listen, addresses);
  const { analytics } = house;
  await crew.begin({ settings: { ...settings, listen }, addresses, analytics });
}

/** One turn of the event loop changes everything, so no request sees some of each. */
async function replace(settings: Settings, house: House, progress: Progress): Promise<void> {
  const before = inForce(progress);
  const next = await buildGeneration(asStarted(settings, before.settings), house);
  progress.gateway?.reload(next.gateway);
  for (const [service, front] of progress.fronts) {
    const app = next.routes.get(service);
    if (app) front.serve(app);
  }
  progress.inForce = next;
  house.analytics.setOrganisations(next.settings.organisations);
  retire(before, house.log);
  const listen = sharedAddresses(next.settings.listen, progress.addresses);
  await progress.crew?.reload({ ...next.settings, listen });
}
