import type { DatabaseCondition } from '@guard/analytics';
import { canonicalHost, compileHosts } from '@guard/config/matching/host';
import { parseIp } from '@guard/config/net/cidr';
import type { ListenAddress } from '@guard/config/settings/values';
import type { FastifyPluginAsync } from 'fastify';
import type { MetricsPage } from '../metrics/metrics.ts';

const OTHER_HOST =
  'The admin listener does not answer to this host name: ask for its address, or add the name to admin_hosts in guard.yaml.\n';

/**
 * `GET /ready` for supervisors and `GET /metrics` for Prometheus. Other hosts than those of compileAdminHosts
 * get 421. Ready means that visitors are served. That needs no database: when the database does not
 * start, the body says so, and the status stays 200.
 */
export function adminRoutes(options: {
  readonly metrics: MetricsPage;
  readonly isReady: () => boolean;
  readonly answersTo: (host: string | undefined) => boolean;
  readonly database: () => DatabaseCondition | undefined;
}): FastifyPluginAsync {
  return (app) => {
    app.addHook('onRequest', async (request, reply) => {
      // The header as it was sent: `request.host` of fastify would believe X-Forwarded-Host.
      if (options.answersTo(request.raw.headers.host)) return;
      await reply.code(421).type('text/plain; charset=utf-8').send(OTHER_HOST);
    });
    app.get('/ready', (_request, reply) => {
      const ready = options.isReady();
      return reply.code(ready ? 200 : 503).send({ ready, database: options.database() });
    });
    app.get('/metrics', async (_request, reply) =>
      reply.type(options.metrics.contentType).send(await options.metrics.page()),
    );
    return Promise.resolve();
  };
}

/**
 * Returns a function that says whether the admin listener answers a request with this Host header. An
 * attacker's page can point its own name at the address of this machine (DNS rebinding), and then reads
 * what answers to that name. So only hosts are answered that such a page cannot have: addresses, names
 * without a dot, the host of `listen.admin`, and `named`, those of the settings. A request without Host is
 * answered: no browser sends one.
 */
export function compileAdminHosts(
  listen: ListenAddress | undefined,
  named: readonly string[],
): (host: string | undefined) => boolean {
  if (listen?.kind === 'unix') return () => true;
  const own = listen === undefined ? [] : [listen.host];
  const isNamed = compileHosts([{ hosts: [...own, ...named], value: true }]);
  return (host = '') => cannotBeRebound(host) || isNamed(host) === true;
}

/** An address, or a name for which no name server of the internet has an answer. */
function cannotBeRebound(host: string): boolean {
  const name = canonicalHost(host);
  return name !== undefined && (!name.includes('.') || parseIp(name) !== undefined);
}
