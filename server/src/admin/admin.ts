import type { DatabaseCondition } from '@guard/analytics';
import type { FastifyPluginAsync } from 'fastify';
import type { MetricsPage } from '../metrics/metrics.ts';

const OTHER_HOST_TEXT =
  'The admin listener does not answer to this host name: ask for its address, or add the name to admin_hosts in guard.yaml.\n';

/**
 * `GET /ready` for supervisors and `GET /metrics` for Prometheus. A request with a host that compileOwnHosts refuses
 * gets 421. Ready means that Guard serves visitors. Guard can do this without the database. So when the database does
 * not start, the body reports it, but the status is still 200.
 */
export function adminRoutes(options: {
  readonly metrics: MetricsPage;
  readonly isReady: () => boolean;
  readonly answersTo: (host: string | undefined) => boolean;
  readonly database: () => DatabaseCondition | undefined;
}): FastifyPluginAsync {
  return (app) => {
    app.addHook('onRequest', async (request, reply) => {
      // This check uses the raw Host header, because `request.host` of fastify trusts X-Forwarded-Host.
      if (options.answersTo(request.raw.headers.host)) return;
      await reply.code(421).type('text/plain; charset=utf-8').send(OTHER_HOST_TEXT);
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
