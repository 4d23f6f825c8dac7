import { openAnalytics, type Analytics } from '@guard/analytics';
import type { Clock, Log, SessionStore } from '@guard/config/contract/ports';
import { createBearerAuth } from '@guard/config/settings/bearer';
import type { Service, Settings } from '@guard/config/settings/schema';
import { createGateway } from '@guard/gateway';
import { createDataServer, createDocsServer } from '@guard/mcp';
import { createResolver, createValidator, MemoryStore, type Validator } from '@guard/validator';
import type { FastifyPluginAsync } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMetrics, type MetricsPage } from './metrics.ts';
import { adminRoutes } from './services/admin.ts';
import { gatewaySites } from './services/gateway-sites.ts';
import { createService, listenError, listenOn } from './services/listen.ts';
import { noAnalytics } from './services/no-analytics.ts';
import { validatorSettings } from './services/validator-settings.ts';

export interface Running {
  /** Where each started service listens: a URL, or unix:path. */
  readonly addresses: Addresses;
  /** Finishes what is under way, writes the last events, ends. */
  close(): Promise<void>;
}

type Addresses = Readonly<Partial<Record<Service, string>>>;

/** How long a start waits for the database. It is not needed to serve, so a slow one is left behind. */
const DATABASE_START_MS = 8_000;

/** What the parts of one installation share while it runs. */
interface House {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: MetricsPage;
  readonly policy: ReturnType<typeof validatorSettings>;
  readonly addresses: Partial<Record<Service, string>>;
  /** What to close, in the order in which it was opened. */
  readonly opened: (() => Promise<void>)[];
  ready: boolean;
}

/**
 * The composition root: settings to a running product. Each service is started when `listen` names
 * it. Analytics opens first and closes last, so that every decision has a place to go.
 */
export async function startGuard(
  settings: Settings,
  ambient: { readonly log: Log; readonly clock: Clock },
): Promise<Running> {
  const metrics = createMetrics();
  const policy = validatorSettings(settings);
  const { crawlers } = policy;
  metrics.gauge('guard_crawler_ranges_age_seconds', () =>
    Math.round((ambient.clock() - (crawlers.oldestListAt ?? ambient.clock())) / 1000),
  );
  const house: House = {
    ...ambient,
    settings,
    metrics,
    policy,
    addresses: {},
    opened: [],
    ready: false,
  };
  try {
    const analytics = await openMemory(house);
    const validator = openValidator(house, analytics);
    await listenAll(house, analytics, validator);
    await openGateway(house, analytics, validator);
    await Promise.race([analytics.settled, sleep(DATABASE_START_MS, undefined, { ref: false })]);
    house.ready = true;
    return { addresses: house.addresses, close: () => closeHouse(house) };
  } catch (error) {
    await closeHouse(house);
    throw error;
  }
}

async function openMemory({ settings, clock, log, metrics, opened }: House): Promise<Analytics> {
  if (!settings.analytics) return noAnalytics(metrics);
  const analytics = await openAnalytics({
    settings: settings.analytics,
    organisations: settings.organisations,
    authenticate: createBearerAuth(settings.organisations, clock),
    clock,
    log,
    metrics,
  });
  opened.push(() => analytics.close());
  return analytics;
}

function openValidator(house: House, analytics: Analytics): Validator {
  const { settings, policy, clock, log, metrics, addresses } = house;
  return createValidator({
    ...policy,
    collectorUrl: () => settings.public_urls.collector ?? addresses.collector ?? '',
    resolver: settings.crawlers.reverse_dns ? createResolver() : undefined,
    store: openStore(house),
    events: analytics.sink,
    clock,
    log,
    metrics,
    isReady: () => house.ready,
  });
}

function openStore({ settings, clock, metrics, opened }: House): SessionStore {
  switch (settings.store.engine) {
    case 'redis':
      throw new Error(
        'store.engine: redis is not available in this version; use { engine: memory }.',
      );
    case 'memory': {
      const store = new MemoryStore(clock);
      metrics.gauge('guard_sessions', () => store.sessionCount);
      opened.push(() => store.close());
      return store;
    }
  }
}

async function listenAll(house: House, analytics: Analytics, validator: Validator): Promise<void> {
  const { settings, clock, metrics, addresses, opened } = house;
  const isReady = () => house.ready;
  const publicUrl = () => settings.public_urls.docs ?? addresses.docs ?? '';
  const authenticate = createBearerAuth(settings.organisations, clock);
  const services: readonly (readonly [Service, readonly FastifyPluginAsync[]])[] = [
    ['validator', [validator.validateRoutes]],
    ['collector', [validator.collectorRoutes]],
    ['api', [analytics.routes, createDataServer({ ...analytics, authenticate })]],
    ['docs', [createDocsServer({ publicUrl, crawlers: house.policy.crawlers.all() })]],
    ['admin', [adminRoutes({ metrics, isReady })]],
  ];
  for (const [name, plugins] of services) {
    const address = settings.listen[name];
    if (!address) continue;
    const app = createService(settings);
    for (const plugin of plugins) await app.register(plugin);
    opened.push(() => app.close());
    addresses[name] = await listenOn(name, app, address);
  }
}

async function openGateway(
  house: House,
  analytics: Analytics,
  validator: Validator,
): Promise<void> {
  const { settings, clock, log, metrics, addresses, opened } = house;
  const address = settings.listen.gateway;
  if (!address) return;
  const gateway = createGateway({
    trustedProxies: settings.trusted_proxies,
    observe: settings.observe,
    sites: gatewaySites(settings.sites, validator, opened),
    events: analytics.sink,
    clock,
    log,
    metrics,
  });
  opened.push(() => gateway.close());
  try {
    addresses.gateway = await gateway.listen(address);
  } catch (error) {
    throw listenError('gateway', address, error);
  }
}

/**
 * Last opened, first closed: the gateway stops taking visitors before anything it needs goes. What
 * fails to close must not keep the rest open, least of all the events that are still to be written.
 */
async function closeHouse(house: House): Promise<void> {
  house.ready = false;
  for (const close of house.opened.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      house.log('error', 'close_failed', { reason: String(error) });
    }
  }
}
