import type { AuthenticateBearer } from '@guard/config/contract/ports';
import { createBearerAuth } from '@guard/config/settings/bearer';
import { settingsRevision } from '@guard/config/settings/revision';
import type { Service, Settings } from '@guard/config/settings/schema';
import type { GatewaySettings } from '@guard/gateway';
import { createDataServer } from '@guard/mcp';
import { createValidator, type Validator } from '@guard/validator';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { adminRoutes } from '../admin/admin.ts';
import { compileAdminHosts } from '../admin/admin-hosts.ts';
import { gatewaySites } from '../validators/gateway-sites.ts';
import { createService } from '../listeners/listen.ts';
import { validatorSettings } from '../validators/validator-settings.ts';
import type { House } from './house.ts';

/** The services that are not the gateway. */
export type PlainService = Exclude<Service, 'gateway' | 'gateway_tls' | 'forward_auth'>;

/** Everything that one reading of the settings leads to, and that goes when the next one comes. */
export interface Generation {
  readonly settings: Settings;
  readonly authenticate: AuthenticateBearer;
  /** When the oldest list of crawler addresses was confirmed, in milliseconds since the epoch. */
  readonly oldestCrawlerListAt: number | undefined;
  /** The routes of each service that listens; ready to answer, not listening themselves. */
  readonly routes: ReadonlyMap<PlainService, FastifyInstance>;
  readonly gateway: GatewaySettings;
  /** Longest that a question which began under these settings can still be under way. */
  readonly longestQuestionMs: number;
  close(): Promise<void>;
}

/**
 * Builds a generation beside the one in force. It shares the store, the events and the metrics of the
 * house, and changes nothing. Rejects when the settings cannot be followed, with the reason in words.
 */
export async function buildGeneration(settings: Settings, house: House): Promise<Generation> {
  const policy = validatorSettings(settings);
  const { collector } = settings.public_urls;
  const revision = settingsRevision(settings);
  const validator = createValidator({
    ...policy,
    settingsRevision: revision,
    collectorUrl: () => collector ?? house.addresses.collector ?? '',
    resolver: settings.crawlers.reverse_dns ? house.resolver : undefined,
    networks: house.networks,
    store: house.store,
    events: house.analytics.sink,
    clock: house.clock,
    log: house.log,
    metrics: house.metrics,
    isReady: house.isReady,
  });
  const authenticate = createBearerAuth(settings.organisations, house.clock);
  const routes = await routesOf(settings, house, validator, authenticate);
  const asking = gatewaySites(settings.sites, validator, house.remotes);
  return {
    settings,
    authenticate,
    oldestCrawlerListAt: policy.crawlers.oldestListAt,
    routes,
    gateway: {
      trustedProxies: settings.trusted_proxies,
      forwardedHeader: settings.forwarded_header,
      observe: settings.observe,
      settingsRevision: revision,
      certificates: settings.tls?.certificates ?? [],
      sites: asking.sites,
    },
    longestQuestionMs: asking.longestQuestionMs,
    close: () => asking.close(),
  };
}

async function routesOf(
  settings: Settings,
  { analytics, docs, metrics, isReady }: House,
  validator: Validator,
  authenticate: AuthenticateBearer,
): Promise<ReadonlyMap<PlainService, FastifyInstance>> {
  const answersTo = compileAdminHosts(settings.listen.admin, settings.admin_hosts);
  const plugins: Readonly<Record<PlainService, readonly FastifyPluginAsync[]>> = {
    validator: [validator.validateRoutes],
    collector: [validator.collectorRoutes],
    api: [analytics.routes, createDataServer({ ...analytics, authenticate })],
    docs: [docs],
    admin: [adminRoutes({ metrics, isReady, answersTo, database: () => analytics.condition() })],
  };
  const routes = new Map<PlainService, FastifyInstance>();
  for (const service of PLAIN_SERVICES) {
    if (settings.listen[service] === undefined) continue;
    const app = createService(settings);
    for (const plugin of plugins[service]) await app.register(plugin);
    await app.ready();
    routes.set(service, app);
  }
  return routes;
}

/** In the order in which they begin to listen. */
const PLAIN_SERVICES: readonly PlainService[] = ['validator', 'collector', 'api', 'docs', 'admin'];
