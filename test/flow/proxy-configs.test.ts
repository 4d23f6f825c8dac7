import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

/**
 * These tests check the configurations of proxies that Debian does not have against the fields in their documentation
 * (Envoy's v3 API, Traefik's dynamic configuration). With an unknown field Envoy does not start. Traefik ignores an
 * unknown field.
 */

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples', 'forward-auth');
const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'guide');
const readConfig = (file: string): unknown => parse(readFileSync(join(EXAMPLES, file), 'utf8'));
const GUARD = '127.0.0.1:8085';

const socketAddress = z.strictObject({
  socket_address: z.strictObject({ address: z.string(), port_value: z.int() }),
});
const matchers = z.strictObject({
  patterns: z.array(
    z.union([
      z.strictObject({ exact: z.string() }),
      z.strictObject({ prefix: z.string() }),
      z.strictObject({ safe_regex: z.strictObject({ regex: z.string() }) }),
    ]),
  ),
});
const typeOf = (type: string) => z.literal(`type.googleapis.com/envoy.extensions.filters.${type}`);
const duration = z.string().regex(/^\d+(\.\d+)?s$/);

const HeaderMutation = z.strictObject({
  name: z.literal('envoy.filters.http.header_mutation'),
  typed_config: z.strictObject({
    '@type': typeOf('http.header_mutation.v3.HeaderMutation'),
    mutations: z.strictObject({
      request_mutations: z.array(z.strictObject({ remove: z.string() })),
    }),
  }),
});
const ExtAuthz = z.strictObject({
  name: z.literal('envoy.filters.http.ext_authz'),
  typed_config: z.strictObject({
    '@type': typeOf('http.ext_authz.v3.ExtAuthz'),
    failure_mode_allow: z.boolean(),
    allowed_headers: matchers,
    http_service: z.strictObject({
      server_uri: z.strictObject({ uri: z.url(), cluster: z.string(), timeout: duration }),
      path_prefix: z.string(),
      authorization_response: z.strictObject({
        allowed_upstream_headers: matchers,
        allowed_client_headers_on_success: matchers,
      }),
    }),
  }),
});
const Router = z.strictObject({
  name: z.literal('envoy.filters.http.router'),
  typed_config: z.strictObject({ '@type': typeOf('http.router.v3.Router') }),
});
const Route = z.strictObject({
  match: z.strictObject({ prefix: z.string() }),
  route: z.strictObject({ cluster: z.string() }),
  typed_per_filter_config: z
    .strictObject({
      'envoy.filters.http.ext_authz': z.strictObject({
        '@type': typeOf('http.ext_authz.v3.ExtAuthzPerRoute'),
        disabled: z.literal(true),
      }),
    })
    .optional(),
});
const ConnectionManager = z.strictObject({
  name: z.literal('envoy.filters.network.http_connection_manager'),
  typed_config: z.strictObject({
    '@type': typeOf('network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: z.string(),
    use_remote_address: z.literal(true),
    common_http_protocol_options: z.strictObject({
      headers_with_underscores_action: z.enum(['REJECT_REQUEST', 'DROP_HEADER']),
    }),
    upgrade_configs: z.array(z.strictObject({ upgrade_type: z.literal('websocket') })),
    route_config: z.strictObject({
      virtual_hosts: z.array(
        z.strictObject({
          name: z.string(),
          domains: z.array(z.string()),
          routes: z.array(Route),
        }),
      ),
    }),
    http_filters: z.tuple([HeaderMutation, ExtAuthz, Router]),
  }),
});
const Cluster = z.strictObject({
  name: z.string(),
  connect_timeout: duration,
  circuit_breakers: z.unknown().optional(),
  load_assignment: z.strictObject({
    cluster_name: z.string(),
    endpoints: z.tuple([
      z.strictObject({
        lb_endpoints: z.tuple([
          z.strictObject({ endpoint: z.strictObject({ address: socketAddress }) }),
        ]),
      }),
    ]),
  }),
});
const Envoy = z.strictObject({
  static_resources: z.strictObject({
    listeners: z.tuple([
      z.strictObject({
        name: z.string(),
        address: socketAddress,
        filter_chains: z.tuple([z.strictObject({ filters: z.tuple([ConnectionManager]) })]),
      }),
    ]),
    clusters: z.array(Cluster),
  }),
});

const ForwardAuth = z.strictObject({
  address: z.url(),
  trustForwardHeader: z.literal(false),
  authResponseHeadersRegex: z.string(),
  addAuthCookiesToResponse: z.array(z.string()),
});
const Servers = z.array(z.strictObject({ url: z.url() }));
const traefik = <M extends z.ZodType, S extends z.ZodType>(middleware: M, service: S) =>
  z.strictObject({
    http: z.strictObject({
      middlewares: z.record(z.string(), middleware),
      routers: z.record(
        z.string(),
        z.strictObject({
          rule: z.string(),
          middlewares: z.array(z.string()).optional(),
          service: z.string(),
          tls: z.strictObject({}).optional(),
        }),
      ),
      services: z.record(z.string(), service),
    }),
  });
const TraefikAsks = traefik(
  z.strictObject({ forwardAuth: ForwardAuth }),
  z.strictObject({ loadBalancer: z.strictObject({ servers: Servers }) }),
);
const TraefikInFront = traefik(
  z.strictObject({
    headers: z.strictObject({ customRequestHeaders: z.record(z.string(), z.string()) }),
  }),
  z.strictObject({
    failover: z.strictObject({ service: z.string(), fallback: z.string() }).optional(),
    loadBalancer: z
      .strictObject({
        passHostHeader: z.literal(true).optional(),
        healthCheck: z
          .strictObject({ path: z.string(), port: z.int(), interval: duration, timeout: duration })
          .optional(),
        servers: Servers,
      })
      .optional(),
  }),
);

/** The header fields that only Guard may set. */
const GUARD_FIELDS = ['decision', 'request-id', 'session', 'crawler', 'answer'].map(
  (name) => `x-guard-${name}`,
);

describe('envoy.yaml', () => {
  const { listeners, clusters } = Envoy.parse(readConfig('envoy.yaml')).static_resources;
  const { route_config, http_filters } = listeners[0].filter_chains[0].filters[0].typed_config;
  const [mutation, { typed_config: authz }] = http_filters;

  test('every cluster that is used is defined, and the cluster of Guard has the address of its URL', () => {
    const routes = route_config.virtual_hosts.flatMap((host) => host.routes);
    const { server_uri } = authz.http_service;
    const names = [...routes.map(({ route }) => route.cluster), server_uri.cluster];
    expect([...new Set(names)].toSorted()).toEqual(clusters.map(({ name }) => name).toSorted());
    for (const { name, load_assignment } of clusters)
      expect(load_assignment.cluster_name).toBe(name);
    const guard = clusters.find(({ name }) => name === server_uri.cluster);
    const guardAddress =
      guard?.load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address;
    expect(`${guardAddress?.address}:${guardAddress?.port_value}`).toBe(GUARD);
    expect(server_uri.uri).toBe(`http://${GUARD}`);
  });

  test('Envoy removes fields with Guard’s names from the visitor’s request, passes on those that Guard sends, and sends Guard all other fields', () => {
    const { request_mutations } = mutation.typed_config.mutations;
    expect(request_mutations.map(({ remove }) => remove)).toEqual(GUARD_FIELDS);
    const { allowed_upstream_headers } = authz.http_service.authorization_response;
    expect(allowed_upstream_headers.patterns).toEqual([{ prefix: 'x-guard-' }]);
    expect(authz.allowed_headers.patterns).toEqual([{ safe_regex: { regex: '.*' } }]);
  });

  test('contract 7.1: Envoy fails open, and only after the time limit of Guard’s decision (500 ms)', () => {
    expect(authz.failure_mode_allow).toBe(true);
    expect(Number.parseFloat(authz.http_service.server_uri.timeout) * 1000).toBeGreaterThan(500);
  });

  test('Envoy asks about all requests, except those for Guard itself', () => {
    for (const { routes } of route_config.virtual_hosts) {
      const openRoutes = routes.filter((route) => route.typed_per_filter_config !== undefined);
      expect(openRoutes.map(({ match, route }) => [match.prefix, route.cluster])).toEqual([
        ['/.guard/', 'guard'],
      ]);
    }
  });
});

describe('visitors do not pass Envoy without a decision because many come at once', () => {
  const LIMITS = { max_pending_requests: 65_536, max_requests: 65_536 };

  test('over HTTP', () => {
    const { clusters } = Envoy.parse(readConfig('envoy.yaml')).static_resources;
    expect(clusters[0]).toMatchObject({
      name: 'guard',
      circuit_breakers: { thresholds: [LIMITS] },
    });
  });

  test('over gRPC, where Envoy has Guard’s limit of questions on one connection', () => {
    const guard = {
      name: 'guard_grpc',
      circuit_breakers: { thresholds: [LIMITS] },
      typed_extension_protocol_options: {
        'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
          // see EXT_AUTHZ_LIMITS in gateway/src/ext-authz/server.ts
          explicit_http_config: { http2_protocol_options: { max_concurrent_streams: 1_024 } },
        },
      },
    };
    expect(readConfig('envoy-grpc.yaml')).toMatchObject({
      static_resources: { clusters: [{}, guard, {}] },
    });
  });
});

describe('traefik.yaml', () => {
  const { middlewares, routers, services } = TraefikAsks.parse(readConfig('traefik.yaml')).http;

  test('every middleware and service that is used is defined', () => {
    const allRouters = Object.values(routers);
    expect(allRouters.flatMap((router) => router.middlewares ?? [])).toEqual(
      Object.keys(middlewares),
    );
    const names = new Set(allRouters.map(({ service }) => service));
    expect([...names].toSorted()).toEqual(Object.keys(services).toSorted());
  });

  test('Traefik asks about all requests, except those for Guard itself', () => {
    const openRouters = Object.values(routers).filter((router) => router.middlewares === undefined);
    expect(openRouters.map(({ service }) => service)).toEqual(['guard', 'guard']);
    expect(openRouters[0]?.rule).toContain('PathPrefix(`/.guard/`)');
    expect(openRouters[1]?.rule).toContain('!HeaderRegexp(`Upgrade`, `(?i)^websocket$`)');
    expect(services['guard']?.loadBalancer.servers).toEqual([{ url: `http://${GUARD}` }]);
  });

  test('Traefik removes fields with Guard’s names in any spelling from the visitor’s request, and passes on those that Guard sends', () => {
    const { address, authResponseHeadersRegex } = middlewares['guard']?.forwardAuth ?? {};
    expect(address).toBe(`http://${GUARD}/check/traefik`);
    // In Go, flags are at the start of the pattern.
    const pattern = new RegExp(authResponseHeadersRegex?.replace('(?i)', '') ?? '^$', 'i');
    for (const name of [...GUARD_FIELDS, 'X_Guard_Decision', 'X-Guard_Decision']) {
      expect(pattern.test(name), name).toBe(true);
    }
    expect(pattern.test('x-other-guard')).toBe(false);
  });
});

describe('Traefik in front of the gateway, in docs/guide', () => {
  const page = readFileSync(join(GUIDE, 'protect-a-site.md'), 'utf8');
  const [, text = ''] = /\n### Traefik\n.*?```yml\n(.*?)```/s.exec(page) ?? [];
  const { middlewares, routers, services } = TraefikInFront.parse(parse(text)).http;
  const router = routers['shop'] ?? expect.fail('no router');

  test('requests go to Guard while it is ready, and to the site otherwise', () => {
    const { failover } = services[router.service] ?? {};
    const [main, fallback] = [failover?.service, failover?.fallback].map(
      (name = '') => services[name]?.loadBalancer,
    );
    // When the main service has no health check, Traefik never uses the fallback.
    expect(main?.healthCheck).toMatchObject({ path: '/ready', port: 9090 });
    expect(main?.servers).toEqual([{ url: 'http://127.0.0.1:8080' }]);
    expect(fallback?.servers).toEqual([{ url: 'http://127.0.0.1:3000' }]);
    expect(Object.keys(services)).toHaveLength(3);
  });

  test('the site gets the decision fail_open, and no field of Guard that a visitor sent', () => {
    expect(router.middlewares).toEqual(Object.keys(middlewares));
    const { customRequestHeaders = {} } = middlewares['told']?.headers ?? {};
    const guardFields = Object.entries(customRequestHeaders).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    expect(Object.fromEntries(guardFields)).toEqual({
      'x-guard-decision': 'fail_open',
      'x-guard-request-id': '',
      'x-guard-session': '',
      'x-guard-crawler': '',
    });
  });
});
