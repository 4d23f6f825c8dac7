import { z } from 'zod';
import { canonicalHost } from '../../matching/host.ts';
import type { Sliced } from '../../time/slices.ts';
import { findAcmeContradictions } from './acme-references.ts';
import { findDashboardContradictions } from './dashboard-references.ts';
import { findDatabasesWithoutFolder } from './database-references.ts';
import { findExposedSecrets } from './exposed-secrets.ts';
import { findCircularOrigins } from './circular-origins.ts';
import { type Contradiction, findRepeated } from './repeated.ts';
import { findRuleContradictions } from './rule-references.ts';

/**
 * Checks that compare settings with each other: names that must differ, and names that must exist. The checks read only
 * an outline of the settings, so they also run when other settings have a wrong shape.
 */

const optionalText = z.string().optional().catch(undefined);
const unknownValue = z.unknown().optional();
/** The address of a listener, or true for a switch. */
const listener = z
  .union([z.string(), z.literal(true)])
  .optional()
  .catch(undefined);

function listOf<T extends z.ZodType>(item: T) {
  return z.array(item).catch([]).default([]);
}

function outline<T extends z.core.$ZodLooseShape>(shape: T) {
  const looseShape = z.object(shape);
  // Every field accepts any value, so the empty mapping is valid. An entry of another kind is treated as an empty
  // mapping.
  return looseShape.catch(() => looseShape.parse({}));
}

const Key = outline({ id: optionalText, key: optionalText });

/** A list. A missing list is treated as an empty list. A value that is not a list becomes null, which means unknown. */
function listOrUnknown<T extends z.ZodType>(item: T) {
  return z.union([z.array(item), z.unknown().transform(() => null)]).default([]);
}

const Outline = outline({
  listen: z.record(z.string(), listener).catch({}).default({}),
  workers: unknownValue,
  tls: unknownValue,
  trusted_proxies: listOrUnknown(unknownValue),
  organisations: listOrUnknown(
    outline({
      id: optionalText,
      site_key: optionalText,
      secret_keys: listOf(Key),
      analytics_keys: listOf(Key),
      presets: listOf(optionalText),
      webhook_paths: unknownValue,
      rules: listOf(unknownValue),
    }),
  ),
  sites: listOrUnknown(
    outline({ hosts: listOf(optionalText), organisation: optionalText, validator: unknownValue }),
  ),
});
type Outline = z.infer<typeof Outline>;

/** Runs all checks, and pauses after each check. */
export function* checkContradictions(value: unknown): Sliced<Contradiction[]> {
  const settings = Outline.parse(value);
  const contradictions: Contradiction[] = [];
  for (const check of CHECKS) {
    yield;
    contradictions.push(...check(settings, value));
  }
  return contradictions;
}

const CHECKS: readonly ((settings: Outline, value: unknown) => readonly Contradiction[])[] = [
  findRepeatedOrganisations,
  findRepeatedKeys,
  checkRules,
  findUnusedWebhookPaths,
  findRepeatedHosts,
  findUnknownOrganisations,
  checkListeners,
  findSharedSockets,
  findUntrustedProxies,
  findUselessProxyProtocol,
  findRedirectWithoutListener,
  (_settings, value) => findAcmeContradictions(value),
  (_settings, value) => findDashboardContradictions(value),
  (_settings, value) => findDatabasesWithoutFolder(value),
  (_settings, value) => findExposedSecrets(value),
  (_settings, value) => findCircularOrigins(value),
];

function findRepeatedOrganisations({ organisations }: Outline): Contradiction[] {
  const checkUnique = (name: 'id' | 'site_key', what: string) =>
    findRepeated(
      (organisations ?? []).map((organisation, index) => ({
        name: organisation[name],
        path: ['organisations', index, name],
      })),
      what,
    );
  return [
    ...checkUnique('id', 'each organisation id once'),
    ...checkUnique('site_key', 'a site key of its own for each organisation'),
  ];
}

const KEY_LISTS = ['secret_keys', 'analytics_keys'] as const;

function findRepeatedKeys({ organisations }: Outline): Contradiction[] {
  const lists = (organisations ?? []).flatMap((organisation, index) =>
    KEY_LISTS.map((list) =>
      organisation[list].map(({ id, key }, keyIndex) => ({
        id,
        key,
        path: ['organisations', index, list, keyIndex],
      })),
    ),
  );
  return [
    ...lists.flatMap((list) =>
      findRepeated(
        list.map(({ id, path }) => ({ name: id, path: [...path, 'id'] })),
        'each key id once in an organisation',
      ),
    ),
    ...findRepeated(
      lists.flat().map(({ key, path }) => ({ name: key, path: [...path, 'key'] })),
      'each key once: a key says who is asking, and for what',
    ),
  ];
}

function checkRules({ organisations }: Outline): Contradiction[] {
  return (organisations ?? []).flatMap((organisation, index) =>
    findRuleContradictions(organisation.rules, ['organisations', index, 'rules']),
  );
}

function findUnusedWebhookPaths({ organisations }: Outline): Contradiction[] {
  const message = 'expected webhooks among the presets of this organisation: only it reads these';
  return (organisations ?? []).flatMap(({ presets, webhook_paths }, index) =>
    webhook_paths === undefined || presets.includes('webhooks')
      ? []
      : [{ path: ['organisations', index, 'webhook_paths'], message }],
  );
}

function findRepeatedHosts({ sites }: Outline): Contradiction[] {
  return findRepeated(
    (sites ?? []).flatMap((site, index) =>
      site.hosts.map((host, hostIndex) => ({
        name: host === undefined ? undefined : comparableHost(host),
        path: ['sites', index, 'hosts', hostIndex],
      })),
    ),
    'each host once: it belongs to one site',
  );
}

function comparableHost(host: string): string {
  const wildcard = host.startsWith('*.') ? '*.' : '';
  return wildcard + (canonicalHost(host.slice(wildcard.length)) ?? host);
}

/**
 * Finds sites whose organisation is not in the settings. A remote validator has its own organisations, so they need not
 * be in these settings.
 */
function findUnknownOrganisations({ organisations, sites }: Outline): Contradiction[] {
  // If the id of an organisation could not be read, it can be the id that a site names.
  if (organisations === null || organisations.some(({ id }) => id === undefined)) return [];
  const knownIds = new Set(organisations.map(({ id }) => id));
  const choices = organisations.map((_, index) => ['organisations', index, 'id']);
  return (sites ?? []).flatMap(({ organisation, validator }, index) => {
    const isRemote = typeof validator === 'object' && validator !== null;
    if (organisation === undefined || knownIds.has(organisation)) return [];
    if (isRemote && knownIds.size === 0) return [];
    const message =
      knownIds.size === 0
        ? 'expected organisations with this id: a validator in process answers for one'
        : 'expected the id of an organisation of this file';
    return [{ path: ['sites', index, 'organisation'], message, choices }];
  });
}

function checkListeners({ listen, tls, sites, organisations }: Outline): Contradiction[] {
  const listenEntries = Object.entries(listen);
  const collisions = findRepeated(
    listenEntries.map(([service, address]) => ({
      // Port 0 means a new port at each start, so two listeners with port 0 are no conflict.
      name: typeof address !== 'string' || /:0+$/.test(address) ? undefined : address,
      path: ['listen', service],
    })),
    'an address of its own for each service',
  );
  const front = ['gateway', 'gateway_tls', 'forward_auth', 'ext_authz'].find(
    (service) => listen[service] !== undefined,
  );
  const unusedFront =
    front !== undefined && sites?.length === 0
      ? [{ path: ['sites'], message: `expected at least one site for listen.${front} to serve` }]
      : [];
  const message =
    'expected both or neither: listen.gateway_tls, and tls with its certificates or acme';
  const tlsProblems =
    (listen['gateway_tls'] === undefined) === (tls === undefined)
      ? []
      : [{ path: tls === undefined ? ['listen', 'gateway_tls'] : ['tls'], message }];
  const servicesWithoutOrganisation = ['validator', 'collector', 'api', 'sql'].flatMap((service) =>
    listen[service] === undefined || organisations?.length !== 0
      ? []
      : [
          {
            path: ['listen', service],
            message: 'expected organisations: this service answers them',
          },
        ],
  );
  return [...collisions, ...unusedFront, ...tlsProblems, ...servicesWithoutOrganisation];
}

/** Forward-auth answers only trusted peers. A peer on a unix socket is trusted. */
function findUntrustedProxies({ listen, trusted_proxies }: Outline): Contradiction[] {
  const proxies = ['forward_auth', 'ext_authz'];
  const proxyService = proxies.find((name) => !/^unix:/.test(String(listen[name] ?? 'unix:')));
  if (proxyService === undefined || trusted_proxies?.length !== 0) return [];
  const message = `expected the addresses of the proxies that ask listen.${proxyService}`;
  return [{ path: ['trusted_proxies'], message }];
}

/** Several workers cannot share a unix socket. */
function findSharedSockets({ listen, workers }: Outline): Contradiction[] {
  if (workers === undefined || workers === 1) return [];
  const message = 'expected host:port: with several workers the gateway cannot listen on a socket';
  return ['gateway', 'gateway_tls']
    .filter((service) => String(listen[service]).startsWith('unix:'))
    .map((service) => ({ path: ['listen', service], message }));
}

/** Only the front proxy accepts the PROXY protocol, and only from trusted peers. */
function findUselessProxyProtocol({ listen, trusted_proxies }: Outline): Contradiction[] {
  if (listen['proxy_protocol'] !== true) return [];
  const frontAddresses = ['gateway', 'gateway_tls'].flatMap((service) => {
    const address = listen[service];
    return typeof address === 'string' ? [address] : [];
  });
  if (frontAddresses.length === 0) {
    const message = 'expected listen.gateway or listen.gateway_tls, where it is spoken';
    return [{ path: ['listen', 'proxy_protocol'], message }];
  }
  if (trusted_proxies?.length !== 0) return [];
  if (frontAddresses.every((address) => address.startsWith('unix:'))) return [];
  const message = 'expected the addresses of the balancers that listen.proxy_protocol is for';
  return [{ path: ['trusted_proxies'], message }];
}

function findRedirectWithoutListener({ listen }: Outline): Contradiction[] {
  if (listen['redirect_https'] !== true) return [];
  if (listen['gateway'] !== undefined && listen['gateway_tls'] !== undefined) return [];
  const message =
    'expected listen.gateway, where visitors come, and listen.gateway_tls, where they go';
  return [{ path: ['listen', 'redirect_https'], message }];
}
