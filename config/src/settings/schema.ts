import { Alerts } from './sections/alerts.ts';
import { z } from 'zod';
import { BODY_SAMPLE, CHALLENGE, VALIDATE } from '../contract/limits.ts';
import { FINDINGS, type Finding } from '../contract/reasons.ts';
import { STRENGTHS } from '../contract/strengths.ts';
import { isIpOrCidr } from '../net/cidr.ts';
import { Branding, ChallengeTemplate } from './sections/branding.ts';
import { CrawlerCategory, CrawlerName, CrawlerRslCategory, Rule } from './sections/rule.ts';
import { Dashboard } from './sections/dashboard.ts';
import { Databases } from './sections/databases.ts';
import { EventPrivacy } from './sections/event-privacy.ts';
import { WebBotAuth } from './sections/web-bot-auth.ts';
import { OwnPage, RobotsTxt } from './sections/pages.ts';
import { RedisUrl, SentinelAddress } from './values/redis-url.ts';
import { PRESETS } from './sections/preset-names.ts';
import { Tls } from './sections/tls.ts';
import { Traps } from './sections/traps.ts';
import {
  AnalyticsKeyHash,
  Credential,
  Duration,
  RefreshEvery,
  ExpiryDate,
  HostPattern,
  HttpUrl,
  Identifier,
  KeyHash,
  Listen,
  oneOrMany,
  OriginAddress,
  OriginTimeout,
  PageOrigin,
  PresentedKey,
  SealingSecret,
  sizeUpTo,
  Workers,
} from './values/values.ts';

/**
 * The schema of guard.yaml. Its names never change. The result is parsed: addresses, durations in milliseconds, keys as
 * SHA-256, pages with their text. load.ts reads the file, replaces `${NAME}`, and finds the places of mistakes.
 * cross-references.ts checks settings against each other.
 */

const PathGlob = z.string().max(1024).startsWith('/', 'expected a path that begins with /');

const SecretKey = z.strictObject({
  id: Identifier,
  key: KeyHash,
  health: z.boolean().default(false),
  expires: ExpiryDate.optional(),
});
const AnalyticsKey = z.strictObject({
  id: Identifier,
  key: AnalyticsKeyHash,
  expires: ExpiryDate.optional(),
});

export const AllowlistEntry = z.union([
  CrawlerName,
  z.strictObject({ category: CrawlerCategory }),
  z.strictObject({ rsl_category: CrawlerRslCategory }),
]);
export type AllowlistEntry = Readonly<z.infer<typeof AllowlistEntry>>;

const FreePages = z.strictObject({ pages: z.int().min(1).max(10_000), per: Duration });
const FreePasses = z.strictObject({ passes: z.int().min(1).max(100_000), per: Duration });

const Count = z.int().min(1).max(1_000_000);
const SessionLimits = z.strictObject({
  requests_per_minute: Count.default(CHALLENGE.sessionLimits.requests_per_minute),
  pages_per_hour: Count.default(CHALLENGE.sessionLimits.pages_per_hour),
  at_once: Count.default(CHALLENGE.sessionLimits.at_once),
});

/** `detection`: the strengths of findings that an organisation changes. */

const StrengthOf = z.enum(STRENGTHS).optional();

// The schema lists every name, so that a misspelt name gets the nearest one as a suggestion. The cast is needed,
// because fromEntries returns string keys.
const byFinding = Object.fromEntries(FINDINGS.map((name) => [name, StrengthOf])) as Record<
  Finding,
  typeof StrengthOf
>;

const Detection = z.strictObject({ reasons: z.strictObject(byFinding).prefault({}) });

export const Organisation = z.strictObject({
  id: Identifier,
  site_key: z.string().min(1).max(100).optional(),
  script_origins: z.array(PageOrigin).max(1000).default([]),
  secret_keys: z.array(SecretKey).default([]),
  analytics_keys: z.array(AnalyticsKey).default([]),
  features: z
    .strictObject({
      crawler_metadata: z.boolean().default(true),
      country: z.boolean().default(false),
    })
    .prefault({}),
  monitor: z.boolean().default(false),
  challenge: z
    .strictObject({
      /** Bits of memory-hard work for each challenge page. 0 means no work. */
      work: z.int().min(0).max(CHALLENGE.work.max).default(0),
      /** Pages without a passed challenge, when a rule says `challenge: auto`. `false` means no limit. */
      free_pages: z.union([z.literal(false), FreePages]).default(CHALLENGE.freePages),
      /** Challenges that one network passes without work. `false` means that no challenge needs work. */
      free_passes: z.union([z.literal(false), FreePasses]).default(CHALLENGE.freePasses),
      /** Whether groups of visitors that ask for far more than usual lose their free pages. */
      pressure: z.boolean().default(true),
      /** The limits after one passed challenge. `false` means no limit. */
      session_limits: z.union([z.literal(false), SessionLimits]).default(CHALLENGE.sessionLimits),
      /** Whether a session that loads pages like a program has to pass a challenge again. */
      session_shape: z.boolean().default(true),
    })
    .prefault({}),
  detection: Detection.prefault({}),
  branding: Branding.prefault({}),
  challenge_page: ChallengeTemplate.optional(),
  block_page: OwnPage.optional(),
  /** The page for a visitor whose budget is used up. */
  limit_page: OwnPage.optional(),
  /** The page for 502, 503 and 504, when the origin gave no answer. */
  error_page: OwnPage.optional(),
  crawler_allowlist: z.array(AllowlistEntry).default([{ category: 'Search Engine' }]),
  robots_txt: RobotsTxt.optional(),
  presets: z.array(z.enum(PRESETS)).default([]),
  webhook_paths: z.array(PathGlob).max(100).default([]),
  traps: Traps.prefault({}),
  rules: z.array(Rule).default([]),
});
export type Organisation = z.infer<typeof Organisation>;

function isCallersTimeout(ms: number): boolean {
  return ms >= VALIDATE.callersTimeoutMs.min && ms <= VALIDATE.callersTimeoutMs.max;
}

const RemoteValidator = z.strictObject({
  url: HttpUrl,
  key: PresentedKey,
  timeout: Duration.refine(isCallersTimeout, 'expected 300ms to 500ms').default(
    VALIDATE.callersTimeoutMs.default,
  ),
});
export type RemoteValidator = Readonly<z.infer<typeof RemoteValidator>>;

export const Site = z
  .strictObject({
    hosts: z.array(HostPattern).min(1),
    organisation: Identifier,
    origin: oneOrMany(OriginAddress),
    /** How long the origin may take until its answer begins. The default is originHeadersMs of the gateway's limits. */
    origin_timeout: OriginTimeout.optional(),
    protect: z.array(PathGlob).default(['/**']),
    skip: z.array(PathGlob).default([]),
    observe: z.boolean().default(false),
    /** How many of the first bytes of a request's body the event keeps. 0 means no bytes. */
    sample_body: sizeUpTo(BODY_SAMPLE.maxKiB).default(0),
    /** Form and JSON fields that no sample contains, in addition to fields with secret names. */
    sample_without: z.array(z.string().min(1).max(128)).max(100).default([]),
    /** Whether X-HTTP-Method-Override and similar fields reach the origin. Rules ignore these fields. */
    keep_method_override: z.boolean().default(false),
    validator: z.union([z.literal('in-process'), RemoteValidator]).default('in-process'),
  })
  .refine(({ sample_body, validator }) => sample_body === 0 || validator === 'in-process', {
    path: ['sample_body'],
    error: 'expected no sample on this site: a remote validator is never told of a body',
  });
export type Site = z.infer<typeof Site>;

const Analytics = z.discriminatedUnion('engine', [
  z.strictObject({
    engine: z.literal('embedded'),
    path: z.string().min(1),
    privacy: EventPrivacy.optional(),
  }),
  z
    .strictObject({
      engine: z.literal('clickhouse'),
      url: HttpUrl,
      user: z.string().min(1),
      password: Credential,
      cluster: z.string().min(1).optional(),
      /** Whether each shard of the cluster keeps copies of the data, coordinated by Keeper. */
      replicated: z.boolean().optional(),
      /** The folder for events that wait while the database server is away. */
      spill: z.string().min(1).optional(),
      privacy: EventPrivacy.optional(),
    })
    .refine(({ cluster, replicated }) => replicated !== true || cluster !== undefined, {
      path: ['cluster'],
      error: 'expected the name of the cluster that is replicated',
    }),
]);
export type AnalyticsSettings = Readonly<z.infer<typeof Analytics>>;

const Store = z.discriminatedUnion('engine', [
  z.strictObject({ engine: z.literal('memory'), path: z.string().min(1).optional() }),
  z
    .strictObject({
      engine: z.literal('redis'),
      url: RedisUrl,
      /** Sentinels that find the primary. `url` then has the name of the primary in place of a host. */
      sentinels: z.array(SentinelAddress).min(1).max(20).optional(),
    })
    .refine(({ url, sentinels }) => sentinels === undefined || new URL(url).port === '', {
      path: ['url'],
      error:
        'expected the name that the sentinels know in place of host and port: redis://user:password@name/0',
    }),
]);

const DEFAULT_REFRESH_MS = 24 * 3_600_000;

const Crawlers = z.strictObject({
  /** The folder for fetched ranges. It can be missing. The default is below the folder of `store` or `analytics`. */
  ranges: z.string().min(1).optional(),
  /** How often a running Guard fetches the ranges of crawlers, and the keys of agents. */
  refresh: RefreshEvery.default(DEFAULT_REFRESH_MS),
  reverse_dns: z.boolean().default(true),
});

const ForwardedHeader = z.enum(['x-forwarded-for', 'forwarded']);
export type ForwardedHeader = z.infer<typeof ForwardedHeader>;

/** The local API of a CrowdSec agent, which Guard asks as a bouncer. */
const Crowdsec = z.strictObject({
  url: HttpUrl,
  key: PresentedKey,
  every: Duration.refine((ms) => ms >= 1_000, 'expected a duration of at least 1s').default(10_000),
});
export type CrowdsecSettings = Readonly<z.infer<typeof Crowdsec>>;

export const Settings = z.strictObject({
  version: z.literal(1),
  listen: z.strictObject({
    gateway: Listen.optional(),
    /** The gateway over https, with HTTP/2. It needs `tls`. */
    gateway_tls: Listen.optional(),
    /** Other proxies ask at this address about each request. They forward the request to the origin themselves. */
    forward_auth: Listen.optional(),
    /** The address at which Envoy asks over gRPC (ext_authz). */
    ext_authz: Listen.optional(),
    validator: Listen.optional(),
    api: Listen.optional(),
    /** The HTTP interface of ClickHouse, for BI tools. It needs `analytics`. */
    sql: Listen.optional(),
    collector: Listen.optional(),
    docs: Listen.optional(),
    admin: Listen.optional(),
    /** The page on which people look at their traffic. It needs `analytics`. */
    dashboard: Listen.optional(),
    /** Whether every connection to `gateway` and `gateway_tls` begins with a PROXY header from a trusted peer. */
    proxy_protocol: z.boolean().default(false),
    /** Whether visitors of `gateway` are redirected to `gateway_tls`. The default is true if `tls.acme` is set. */
    redirect_https: z.boolean().optional(),
  }),
  public_urls: z
    .strictObject({
      collector: HttpUrl.optional(),
      docs: HttpUrl.optional(),
      dashboard: HttpUrl.optional(),
    })
    .prefault({}),
  health_check_token: KeyHash.optional(),
  trusted_proxies: z
    .array(z.string().refine(isIpOrCidr, 'expected an IP address or a CIDR range'))
    .default([]),
  /** The header that trusted proxies write. The default is the header that came alone before, or else both. */
  forwarded_header: ForwardedHeader.optional(),
  /** Host names that the admin listener accepts, in addition to IP addresses and names without a dot. */
  admin_hosts: z.array(HostPattern).max(100).default([]),
  dashboard: Dashboard.prefault({}),
  observe: z.boolean().default(false),
  /** The receivers of alerts. */
  alerts: Alerts.optional(),
  log: z
    .strictObject({
      decisions: z.boolean().default(false),
      /** `ecs`: names of the Elastic Common Schema. */
      format: z.enum(['json', 'ecs']).default('json'),
    })
    .prefault({}),
  workers: Workers.default(1),
  secret: oneOrMany(SealingSecret),
  tls: Tls.optional(),
  organisations: z.array(Organisation).default([]),
  sites: z.array(Site).default([]),
  analytics: Analytics.optional(),
  store: Store.default({ engine: 'memory' }),
  databases: Databases.prefault({}),
  crawlers: Crawlers.prefault({}),
  web_bot_auth: WebBotAuth.optional(),
  crowdsec: Crowdsec.optional(),
});
export type Settings = z.infer<typeof Settings>;
export type Service = Exclude<keyof Settings['listen'], 'proxy_protocol' | 'redirect_https'>;
